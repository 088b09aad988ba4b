//! `cairn bitcode`, and the bitcode of programs that `cairn cc` built: taken out and linked.

use crate::exit::{self, Failure};
use crate::output;
use crate::recorder::write_failures::write_whole;
use crate::say;
use cairn_cc::{BitcodeFrame, FrameContent, LinkedFile, LinkedLibrary};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The options of `cairn bitcode`.
#[derive(clap::Args)]
pub struct BitcodeOptions {
    /// A program or object that was built with `cairn cc`
    program: PathBuf,

    /// Where the bitcode goes; by default beside the program, with .bc after its name
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Lists the parts and the headers they were compiled with, and writes nothing
    #[arg(long, conflicts_with = "output")]
    list: bool,
}

/// A program as one module.
pub struct Assembled {
    /// Its bitcode.
    pub bitcode: Vec<u8>,
    /// Which parts are missing, in one sentence.
    pub warning: Option<String>,
}

/// Runs the command; the result is the exit code.
pub fn run(options: &BitcodeOptions) -> Result<u8, Failure> {
    let file = &options.program;
    if options.list {
        for frame in frames(file)? {
            let (name, library) = (&frame.name, frame.library.name());
            output::print_line(&match &frame.content {
                FrameContent::Bitcode(b) => format!("{name}: {} bytes, {library}", b.len()),
                FrameContent::Absent(_) | FrameContent::Foreign(_) => {
                    format!("{name}: no bitcode: {}", reason(&frame.content))
                }
            })?;
        }
        return Ok(exit::DONE);
    }
    let assembled = assemble(file)?;
    if let Some(warning) = assembled.warning {
        say!("cairn: warning: {warning}");
    }
    let output = options.output.clone().unwrap_or_else(|| {
        let mut name = file.clone().into_os_string();
        name.push(".bc");
        name.into()
    });
    write_whole(&output, &assembled.bitcode).map_err(|e| Failure::unwritable(&output, &e))?;
    Ok(exit::DONE)
}

fn bad(file: &Path, why: &str) -> Failure {
    Failure::new(
        exit::BAD_INPUT,
        anyhow::anyhow!("{}: {why}", file.display()),
    )
}

/// The parts of a program or object.
fn frames(file: &Path) -> Result<Vec<BitcodeFrame>, Failure> {
    match LinkedFile::of(file) {
        Some(LinkedFile::Elf) => cairn_cc::parts(file).map_err(|why| bad(file, &why)),
        Some(LinkedFile::Archive) => Err(bad(
            file,
            "a library is no program: link a program with it, or give one of its objects",
        )),
        None if !file.exists() => Err(bad(file, "no such file")),
        None => Err(bad(
            file,
            "expected a program or an object that was built with `cairn cc`",
        )),
    }
}

/// Whether a program was compiled with the headers of musl.
pub fn is_for_musl(file: &Path) -> bool {
    let elf = matches!(LinkedFile::of(file), Some(LinkedFile::Elf));
    let parts = elf.then(|| cairn_cc::parts(file).ok()).flatten();
    parts.is_some_and(|parts| parts.iter().any(|part| part.library == LinkedLibrary::Musl))
}

/// Takes the parts out of a program or object and links them.
pub fn assemble(file: &Path) -> Result<Assembled, Failure> {
    let frames = frames(file)?;
    let parts: Vec<cairn_llvm::LinkModule> = frames
        .iter()
        .filter_map(|frame| match &frame.content {
            FrameContent::Bitcode(bytes) => Some(cairn_llvm::LinkModule {
                name: &frame.name,
                bytes,
            }),
            FrameContent::Absent(_) | FrameContent::Foreign(_) => None,
        })
        .collect();
    if parts.is_empty() {
        let missing = missing(&frames, &BTreeSet::new());
        return Err(bad(
            file,
            &format!("no bitcode in it: {}", missing.join(", ")),
        ));
    }
    let name = file.to_string_lossy();
    let linked = cairn_llvm::guarded(file, || cairn_llvm::link_parts(&name, &parts))
        .map_err(|e| Failure::new(exit::BAD_INPUT, e))?;
    let missing = missing(&frames, &linked.undefined);
    let warning = (!missing.is_empty()).then(|| {
        let (has, it) = if missing.len() == 1 {
            ("1 part has", "it defines")
        } else {
            (&*format!("{} parts have", missing.len()), "they define")
        };
        format!(
            "{name}: {has} no bitcode, so that what {it} is missing: {}",
            missing.join(", ")
        )
    });
    Ok(Assembled {
        bitcode: linked.bitcode,
        warning,
    })
}

/// The parts that are not there, each once. Members of archives count if something they define is
/// undefined without them.
fn missing(frames: &[BitcodeFrame], undefined: &BTreeSet<String>) -> Vec<String> {
    let needed = |frame: &&BitcodeFrame| match &frame.content {
        FrameContent::Bitcode(_) => false,
        FrameContent::Absent(_) => true,
        FrameContent::Foreign(defines) => {
            defines.is_empty() || defines.iter().any(|name| undefined.contains(name))
        }
    };
    let mut names = BTreeSet::new();
    let parts = frames.iter().filter(needed);
    let first = parts.filter(|frame| names.insert(&frame.name));
    let said = first.map(|frame| format!("{} ({})", frame.name, reason(&frame.content)));
    said.collect()
}

/// Why a part has no bitcode.
fn reason(content: &FrameContent) -> &str {
    match content {
        FrameContent::Bitcode(_) => "",
        FrameContent::Absent(why) => why,
        FrameContent::Foreign(_) => "not built with `cairn cc`",
    }
}
