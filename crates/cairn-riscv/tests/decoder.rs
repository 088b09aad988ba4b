//! The decoder against LLVM's: every word of 16 bits, all structured words of 32 bits and many
//! random ones must have the same text in both, or be an instruction in neither.

use cairn_random::Random;
use cairn_riscv::{TABLE, assembly, decode, decode_word};
use std::collections::HashMap;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Instructions that LLVM knows without being asked and that programs may not use.
const PRIVILEGED: &[&str] = &[
    "mret",
    "sret",
    "wfi",
    "sfence.vma",
    "sfence.w.inval",
    "sfence.inval.ir",
    "sinval.vma",
    "dret",
    "mnret",
    "hfence.vvma",
    "hfence.gvma",
    "hinval.vvma",
    "hinval.gvma",
    "sctrclr",
];

/// The texts that LLVM has for instructions in a row, by their address; `None` for what is none.
fn llvm(name: &str, bytes: &[u8]) -> Vec<(u64, Option<String>)> {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let (raw, object) = (
        folder.join(format!("{name}.bin")),
        folder.join(format!("{name}.o")),
    );
    fs::write(&raw, bytes).expect("a scratch file");
    let made = Command::new("llvm-objcopy-19")
        .args(["-I", "binary", "-O", "elf64-littleriscv"])
        .args([&raw, &object])
        .status()
        .expect("llvm-objcopy-19 is installed (package llvm-19)");
    assert!(made.success());
    let output = Command::new("llvm-objdump-19")
        .args([
            "-D",
            "-z",
            "-j",
            ".data",
            "--no-show-raw-insn",
            "-M",
            "no-aliases",
        ])
        .arg("--mattr=+m,+a,+f,+d,+c")
        .arg(&object)
        .output()
        .expect("llvm-objdump-19 is installed (package llvm-19)");
    assert!(output.status.success());
    let _ = (fs::remove_file(&raw), fs::remove_file(&object));
    let text = String::from_utf8(output.stdout).expect("text");
    let lines = text.lines().filter_map(|line| {
        let (address, rest) = line.split_once(':')?;
        let address = u64::from_str_radix(address.trim(), 16).ok()?;
        let rest = rest.trim();
        let rest = rest.split_once(" <").map_or(rest, |(before, _)| before);
        let known = !rest.is_empty() && rest != "<unknown>";
        Some((address, known.then(|| rest.replace('\t', " "))))
    });
    lines.collect()
}

/// The text that LLVM has for a short instruction, as that of the long one it stands for.
fn expanded(text: &str) -> String {
    let Some(short) = text.strip_prefix("c.") else {
        return text.to_string();
    };
    let (name, operands) = short.split_once(' ').unwrap_or((short, ""));
    let operands: Vec<&str> = operands.split(", ").collect();
    let (first, second) = (operands[0], operands.get(1).copied().unwrap_or(""));
    match name {
        "addi4spn" => format!("addi {first}, sp, {}", operands[2]),
        "addi16sp" => format!("addi sp, sp, {second}"),
        "nop" if first.is_empty() => "addi zero, zero, 0x0".to_string(),
        "nop" => format!("addi zero, zero, {first}"),
        "addi" | "addiw" | "slli" | "srli" | "srai" | "andi" => {
            format!("{name} {first}, {first}, {second}")
        }
        "slli64" | "srli64" | "srai64" => {
            format!("{} {first}, {first}, 0x0", name.trim_end_matches("64"))
        }
        "add" | "sub" | "xor" | "or" | "and" | "subw" | "addw" => {
            format!("{name} {first}, {first}, {second}")
        }
        "li" => format!("addi {first}, zero, {second}"),
        // Of `zero` it is a hint, whose constant LLVM writes with its sign.
        "lui" => match second.strip_prefix("-0x") {
            Some(digits) => {
                let value = u32::from_str_radix(digits, 16).expect("a number");
                format!("lui {first}, {:#x}", (1 << 20) - value)
            }
            None => format!("lui {first}, {second}"),
        },
        "mv" => format!("add {first}, zero, {second}"),
        "j" => format!("jal zero, {first}"),
        "beqz" => format!("beq {first}, zero, {second}"),
        "bnez" => format!("bne {first}, zero, {second}"),
        "jr" => format!("jalr zero, 0x0({first})"),
        "jalr" => format!("jalr ra, 0x0({first})"),
        "ebreak" => "ebreak".to_string(),
        "fldsp" | "lwsp" | "ldsp" | "fsdsp" | "swsp" | "sdsp" => {
            format!("{} {first}, {second}", name.trim_end_matches("sp"))
        }
        "fld" | "lw" | "ld" | "fsd" | "sw" | "sd" => format!("{name} {first}, {second}"),
        other => panic!("LLVM knows c.{other}, which is not listed here"),
    }
}

/// LLVM abbreviates a few even when asked not to.
fn spelled_out(text: &str) -> String {
    // These are exact, so that LLVM leaves out the rounding mode that old assemblers gave them.
    let exact = ["fcvt.d.w ", "fcvt.d.wu ", "fcvt.d.s "];
    if exact.iter().any(|name| text.starts_with(name)) && text.matches(", ").count() == 1 {
        return format!("{text}, rne");
    }
    match text {
        "unimp" => "csrrw zero, 0xc00, zero".to_string(),
        other => other.to_string(),
    }
}

/// LLVM's name of each control register that has one.
fn control_registers() -> HashMap<String, u32> {
    let words = (0..4096u32).map(|number| number << 20 | 0x2073);
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    let texts = llvm("csr", &bytes);
    assert_eq!(texts.len(), 4096);
    let named = texts.into_iter().zip(0..).map(|((_, text), number)| {
        let text = text.expect("every control register can be named");
        let name = text.split(", ").nth(1).expect("a control register");
        (name.to_string(), number)
    });
    named.collect()
}

/// Compares words of 32 bits; the lowest five bits of none may all be set.
fn compare_words(name: &str, words: &[u32], registers: &HashMap<String, u32>) {
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let texts = llvm(name, &bytes);
    assert_eq!(texts.len(), words.len());
    let mut instructions = 0;
    for ((address, theirs), &word) in texts.into_iter().zip(words) {
        let ours = decode_word(word).map(|inst| assembly(&inst, address));
        let mut theirs = theirs.filter(|text| {
            let name = text.split(' ').next().unwrap_or("");
            !PRIVILEGED.contains(&name)
        });
        if let Some(text) = &theirs
            && text.starts_with("csrr")
        {
            let parts: Vec<&str> = text.split(", ").collect();
            let number = registers[parts[1]];
            theirs = Some(format!("{}, {number:#x}, {}", parts[0], parts[2]));
        }
        let theirs = theirs.map(|text| spelled_out(&text));
        instructions += u64::from(ours.is_some());
        assert_eq!(ours, theirs, "{word:#010x}");
    }
    println!("{name}: {} words, {instructions} instructions", words.len());
}

/// Words made from the table: every pair of values of every field that is likely to matter.
fn structured() -> Vec<u32> {
    let mut words = Vec::new();
    let patterns = [0, 1, 2, 3, 5, 8, 15, 16, 21, 30, 31];
    for row in TABLE {
        let free = !row.mask;
        // All values of each free group of bits, with the others at a few patterns.
        for (low, width) in [(7, 5), (12, 3), (15, 5), (20, 5), (25, 7), (20, 12)] {
            let group = ((1u32 << width) - 1) << low;
            for value in 0..1u32 << width {
                for pattern in [0, 0x5555_5555, 0xaaaa_aaaa, u32::MAX] {
                    words.push(row.bits | (value << low | pattern & !group) & free);
                }
            }
        }
        for rd in patterns {
            for rs1 in patterns {
                for rs2 in patterns {
                    words.push(row.bits | (rd << 7 | rs1 << 15 | rs2 << 20) & free);
                }
            }
        }
        // One fixed bit wrong: mostly another instruction or none.
        for bit in 2..32 {
            words.push(row.bits ^ 1 << bit);
            words.push(row.bits ^ 1 << bit | free & 0x5555_5555);
        }
    }
    words.retain(|word| word & 3 == 3 && word & 0x1f != 0x1f);
    words
}

/// Words of which half have the fixed bits of a row.
fn random(count: usize, seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed);
    let mut words = Vec::with_capacity(count);
    while words.len() < count {
        let mut word = random.next() as u32 | 3;
        if random.one_in(2) {
            let row = random.pick(TABLE);
            word = word & !row.mask | row.bits;
        }
        if word & 0x1f != 0x1f {
            words.push(word);
        }
    }
    words
}

#[test]
fn short_words() {
    let words: Vec<u16> = (0..=u16::MAX).filter(|w| w & 3 != 3).collect();
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let texts = llvm("short", &bytes);
    assert_eq!(texts.len(), words.len());
    for ((address, theirs), word) in texts.into_iter().zip(words) {
        let ours = decode(&word.to_le_bytes()).map(|inst| assembly(&inst, address));
        // LLVM reads `c.lui` of zero, which the manual reserves.
        let theirs = theirs.filter(|text| {
            let zero = text.starts_with("c.lui ") && text.ends_with(", 0x0");
            !zero && text != "c.unimp"
        });
        let theirs = theirs.map(|text| expanded(&text));
        assert_eq!(ours, theirs, "{word:#06x}");
    }
}

#[test]
fn structured_words() {
    compare_words("structured", &structured(), &control_registers());
}

#[test]
fn random_words() {
    compare_words("random", &random(300_000, 7), &control_registers());
}

/// The tier by hand: ten million words, about five minutes.
#[test]
#[ignore = "takes minutes; run by hand with --ignored"]
fn ten_million_words() {
    let registers = control_registers();
    for round in 0..20 {
        compare_words("many", &random(500_000, 1000 + round), &registers);
    }
}

/// Words of more than 32 bits are no instructions.
#[test]
fn longer_words() {
    for word in random(100_000, 3) {
        assert_eq!(decode_word(word | 0x1f), None);
    }
}
