use super::*;
use crate::elf::ElfSegment;
use crate::registers::one;
use crate::table::TABLE;
use std::collections::BTreeSet;

/// An executable of one instruction, after which is none.
fn executable_of(word: u32) -> Executable {
    Executable {
        entry: 0x10000,
        segments: vec![ElfSegment {
            address: 0x10000,
            size: 8,
            bytes: [word.to_le_bytes(), [0; 4]].concat(),
            write: false,
            execute: true,
        }],
        ..Executable::default()
    }
}

/// The words that a body stores to the register file before it returns, and the messages of checks
/// that always fail.
fn lowered(word: u32) -> (Body, Vec<String>) {
    let executable = executable_of(word);
    let region = crate::region::find(&executable, 0x10000, &BTreeSet::new());
    let callees = Callees {
        regions: &BTreeMap::new(),
        dispatch: FuncId(1),
        settle: FuncId(2),
        system_calls: SystemCallEntry {
            function: FuncId(0),
            guest: FuncId(0),
            record: crate::registers::COUNT,
        },
        deliver: FuncId(3),
        floats: Floats::default(),
        counter: None,
        checks_division: false,
    };
    let body = lower(&executable, &region, &callees, &mut |_| PlaceId::UNKNOWN);
    let insts = body.blocks.iter().flat_map(|b| &b.insts);
    let failing = insts.filter_map(|(inst, _)| match inst {
        cairn_ir::Inst::Check(check) if check.condition == Operand::Int(0) => {
            Some(check.message.to_string())
        }
        _ => None,
    });
    let failing = failing.collect();
    (body, failing)
}

#[test]
fn every_instruction_has_a_meaning() {
    for row in TABLE {
        // Registers 5, 6 and 7; a control register that there is; the nearest rounding mode.
        let operands = match row.fields.contains(&crate::table::OperandField::Csr) {
            true => 2 << 20 | 6 << 15 | 5 << 7,
            false => 3 << 27 | 7 << 20 | 6 << 15 | 5 << 7,
        };
        let word = row.bits | operands & !row.mask;
        let (_, failing) = lowered(word);
        // What follows is no instruction; nothing else may fail.
        let own = failing.iter().filter(|m| !m.contains("at 0x10004"));
        let own: Vec<&String> = own.filter(|m| !m.contains("where no code is")).collect();
        let stops = row.op == Opcode::Ebreak;
        assert_eq!(own.is_empty(), !stops, "{}: {own:?}", row.name);
    }
}

/// An instruction reads no words but those that [`effects`] says, and changes no others: what it is
/// not given it would load from the register file.
#[test]
fn effects_are_what_is_read_and_written() {
    for row in TABLE {
        let ends = [Opcode::Jal, Opcode::Jalr, Opcode::Ecall, Opcode::Ebreak];
        let branches = row.fields.contains(&crate::table::OperandField::Branch);
        if branches || ends.contains(&row.op) {
            continue;
        }
        let operands = match row.fields.contains(&crate::table::OperandField::Csr) {
            true => 3 << 20 | 6 << 15 | 5 << 7,
            false => 3 << 27 | 7 << 20 | 6 << 15 | 5 << 7,
        };
        let word = row.bits | operands & !row.mask;
        let inst = crate::decode::decode_word(word).expect("an instruction");
        let (reads, writes) = effects(&inst);
        assert_eq!(writes & 1, 0, "{} writes x0", row.name);
        let executable = executable_of(word);
        let mut values = RegisterForms::new(RegionBuilder::new(1), &executable, Floats::default());
        let mut given = BTreeMap::new();
        for register in members(reads) {
            let local = values.builder.param(BlockId::new(0), 64);
            given.insert(register, Operand::Local(local));
            values.set(register, WordForms::wide(Operand::Local(local)));
        }
        let known = crate::integer::lower(&mut values, 0x10000, &inst)
            || crate::float::lower(&mut values, 0x10000, &inst)
            || crate::atomic::lower(&mut values, &inst);
        if !known && row.fields.contains(&crate::table::OperandField::Csr) {
            crate::control::lower(&mut values, 0x10000, &inst);
        }
        for (inst, _) in &values.builder.body.blocks[0].insts {
            if let cairn_ir::Inst::Load { address, .. } = inst {
                let file = matches!(address, Operand::Address(..));
                assert!(!file, "{} reads more than it says: {inst:?}", row.name);
            }
        }
        for (register, now) in values.now.iter().enumerate() {
            let now = now.as_ref();
            let same = now.and_then(|v| v.wide.as_ref()) == given.get(&register);
            let unchanged = same && now.is_some() == given.contains_key(&register);
            let written = writes & one(register) != 0;
            assert!(unchanged || written, "{} writes word {register}", row.name);
        }
    }
}
