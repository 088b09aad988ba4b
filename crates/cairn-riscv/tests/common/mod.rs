//! What the tests share: an encoder, executables made from words, and runs.

#![allow(dead_code, reason = "each test uses a part of it")]

use cairn_ir::PlaceId;
use cairn_linux::{Abi, Setup};
use cairn_machine::{CODE_ENTRY, End, Image, MachineCode, MachineConfig, Report};
use cairn_random::Random;
use cairn_riscv::{Guest, GuestArguments, GuestOptions, Opcode, OperandField, SharedGuest, TABLE};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

/// Operands of an instruction to be encoded.
#[derive(Clone, Copy, Default)]
pub struct Operands {
    pub rd: u32,
    pub rs1: u32,
    pub rs2: u32,
    pub rs3: u32,
    pub rm: u32,
    pub imm: i64,
}

/// The word of an instruction.
pub fn encode(op: Opcode, o: Operands) -> u32 {
    let row = op.row();
    let imm = o.imm as u32;
    let fields = row.fields.iter().map(|field| match field {
        OperandField::Rd | OperandField::Fd => o.rd << 7,
        OperandField::Rs1 | OperandField::Fs1 | OperandField::At | OperandField::Zimm => {
            o.rs1 << 15
        }
        OperandField::Rs2 | OperandField::Fs2 => o.rs2 << 20,
        OperandField::Fs3 => o.rs3 << 27,
        OperandField::Imm | OperandField::Csr => imm << 20,
        OperandField::Shamt5 => (imm & 31) << 20,
        OperandField::Shamt6 => (imm & 63) << 20,
        OperandField::Upper => imm & !0xfff,
        OperandField::Branch => {
            (imm >> 12 & 1) << 31
                | (imm >> 5 & 63) << 25
                | (imm >> 1 & 15) << 8
                | (imm >> 11 & 1) << 7
        }
        OperandField::Jump => {
            (imm >> 20 & 1) << 31 | (imm >> 1 & 0x3ff) << 21 | (imm >> 11 & 1) << 20 | imm & 0xff000
        }
        OperandField::LoadAt => o.rs1 << 15 | imm << 20,
        OperandField::StoreAt => o.rs1 << 15 | (imm >> 5 & 127) << 25 | (imm & 31) << 7,
        OperandField::Rm => o.rm << 12,
        OperandField::Fence => (imm & 255) << 20,
    });
    fields.fold(row.bits, |word, field| word | field)
}

/// A row of the table, at random.
pub fn any_op(random: &mut Random) -> Opcode {
    random.pick(TABLE).op
}

pub const CODE: u64 = 0x1_0000;
pub const DATA: u64 = 0x20_0000;

/// An executable of code at [`CODE`] and data at [`DATA`].
pub fn executable(code: &[u8], data: &[u8], data_size: u64) -> Vec<u8> {
    let mut file = vec![0u8; 64 + 2 * 56];
    file[..8].copy_from_slice(b"\x7fELF\x02\x01\x01\0");
    let mut put = |at: usize, bytes: &[u8]| file[at..at + bytes.len()].copy_from_slice(bytes);
    put(16, &2u16.to_le_bytes());
    put(18, &243u16.to_le_bytes());
    put(20, &1u32.to_le_bytes());
    put(24, &CODE.to_le_bytes());
    put(32, &64u64.to_le_bytes());
    // Double-precision floats in registers, compressed instructions.
    put(48, &5u32.to_le_bytes());
    put(52, &64u16.to_le_bytes());
    put(54, &56u16.to_le_bytes());
    put(56, &2u16.to_le_bytes());
    let code_at = 0x1000u64;
    let data_at = (code_at + code.len() as u64).next_multiple_of(0x1000);
    let segments = [
        (5u32, code_at, CODE, code.len() as u64, code.len() as u64),
        (6, data_at, DATA, data.len() as u64, data_size),
    ];
    for (i, (flags, offset, address, stored, size)) in segments.into_iter().enumerate() {
        let at = 64 + 56 * i;
        put(at, &1u32.to_le_bytes());
        put(at + 4, &flags.to_le_bytes());
        for (j, value) in [offset, address, address, stored, size, 0x1000]
            .into_iter()
            .enumerate()
        {
            put(at + 8 + 8 * j, &value.to_le_bytes());
        }
    }
    file.resize(code_at as usize, 0);
    file.extend_from_slice(code);
    file.resize(data_at as usize, 0);
    file.extend_from_slice(data);
    file
}

/// An executable of one segment that may be read, written and executed, as small compilers make it.
pub fn one_segment(bytes: &[u8]) -> Vec<u8> {
    let mut file = executable(bytes, &[], 8);
    // Flags of the first segment; the second is none.
    file[64 + 4] = 7;
    file[64 + 56] = 0;
    file
}

/// How a run ended and what it printed.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    pub end: String,
    pub output: Vec<u8>,
}

/// A run on our machine, with everything lowered and verified before it starts.
pub fn run_eagerly(name: &str, file: &[u8], args: &[&str]) -> Outcome {
    run(name, file, args, true)
}

/// A run on our machine, with functions lowered when they are first called.
pub fn run_here(name: &str, file: &[u8], args: &[&str]) -> Outcome {
    run(name, file, args, false)
}

fn run(name: &str, file: &[u8], args: &[&str], eager: bool) -> Outcome {
    run_on_test(name, file, args, eager, None)
}

/// A run on our machine, with inputs if it gets a test.
pub fn run_on_test(
    name: &str,
    file: &[u8],
    args: &[&str],
    eager: bool,
    objects: Option<Vec<(String, Vec<u8>)>>,
) -> Outcome {
    let mut output = Vec::new();
    let end = end_of_run(name, file, args, eager, objects, &mut output);
    Outcome {
        end: end.unwrap_or_else(|error| error),
        output,
    }
}

/// How a run ends; an error if it does not begin.
fn end_of_run(
    name: &str,
    file: &[u8],
    args: &[&str],
    eager: bool,
    objects: Option<Vec<(String, Vec<u8>)>>,
    output: &mut Vec<u8>,
) -> Result<String, String> {
    let options = GuestOptions {
        eager,
        ..GuestOptions::default()
    };
    let guest = Guest::new(name, file, &options).map_err(|e| e.to_string())?;
    if eager && let Err(errors) = cairn_ir::verify::verify(guest.program()) {
        panic!("{name}: {}", errors[0]);
    }
    let end = guest.executable().end();
    let setup = Setup {
        brk: end..end + (1 << 26),
        ..Setup::new(Abi::Riscv64)
    };
    let args = std::iter::once(name).chain(args.iter().copied());
    let args = args.map(|a| a.as_bytes().to_vec()).collect();
    let code = Arc::new(SharedGuest::new(
        guest,
        GuestArguments::known(args, Vec::new()),
    ));
    let program = code.program();
    let entry = program.find_function(CODE_ENTRY).expect("its entry");
    let config = MachineConfig {
        code: Some(Arc::clone(&code) as Arc<dyn MachineCode>),
        limit: Some(200_000_000),
        ..MachineConfig::default()
    };
    let image = Image::new(program, config).map_err(|e| e.to_string())?;
    let image = image.with_system(&setup).map_err(|e| e.to_string())?;
    let mut errors = Vec::new();
    let mut machine = image.machine(output, &mut errors);
    drop(image);
    if let Some(objects) = objects {
        machine = machine.with_inputs(objects);
    }
    let end = machine.run(entry, &[]);
    // A call that is not modelled is refused, as by a kernel that does not have it.
    if let Some(call) = machine.unknown_calls().first() {
        return Ok(format!("system call {call} is not modelled"));
    }
    let program = Arc::clone(machine.program());
    let error = |report: &Report| {
        let mut places = report.trace.iter().map(|(_, place)| *place);
        match places.find(|place| *place != PlaceId::UNKNOWN) {
            Some(place) => format!(
                "{} at {:#x} in {} ({})",
                report.message,
                code.address_of(place),
                program.names[program.place(place).function as usize],
                program.place_text(place)
            ),
            None => report.message.clone(),
        }
    };
    Ok(match end {
        End::Exit(code) => format!("exit {}", code & 255),
        End::Signal(signal, _) => format!("signal {signal}"),
        End::Abort(_) => "signal 6".to_string(),
        End::Silent => "silent".to_string(),
        End::Limit => "limit".to_string(),
        End::Error(report) | End::Assumption(report) => error(&report),
    })
}

/// A place for a file of a test.
pub fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// A run under QEMU's user emulation.
pub fn run_qemu(name: &str, file: &[u8], args: &[&str]) -> Outcome {
    let path = scratch(name);
    fs::write(&path, file).expect("a scratch file");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("permissions");
    let output = Command::new("qemu-riscv64")
        .args(["-cpu", "rv64"])
        .arg(&path)
        .args(args)
        .env_clear()
        .output()
        .expect("qemu-riscv64 is installed (package qemu-user)");
    let _ = fs::remove_file(&path);
    let end = match output.status.code() {
        Some(code) => format!("exit {code}"),
        None => format!("signal {}", output.status.signal().unwrap_or(0)),
    };
    Outcome {
        end,
        output: output.stdout,
    }
}
