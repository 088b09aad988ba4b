//! The compiler's flags, as every command that compiles takes them.

/// Flags for clang.
#[derive(clap::Args)]
pub struct CompilerFlags {
    /// Defines a macro
    #[arg(short = 'D', value_name = "MACRO[=VALUE]")]
    define: Vec<String>,

    /// Adds a folder of headers
    #[arg(short = 'I', value_name = "FOLDER")]
    include: Vec<String>,

    /// The compiler's optimisation level
    #[arg(short = 'O', value_name = "LEVEL", default_value = "0")]
    optimise: String,

    /// The language standard, for example c99 (also as -std=c99)
    #[arg(long, value_name = "STANDARD")]
    std: Option<String>,

    /// Passes a flag on to the compiler
    #[arg(long, value_name = "FLAG", allow_hyphen_values = true)]
    cc_flag: Vec<String>,
}

impl CompilerFlags {
    /// What the compiler is told.
    pub fn flags(&self) -> Vec<String> {
        let mut flags = vec![format!("-O{}", self.optimise)];
        flags.extend(self.define.iter().map(|d| format!("-D{d}")));
        flags.extend(self.include.iter().map(|i| format!("-I{i}")));
        flags.extend(self.std.iter().map(|s| format!("-std={s}")));
        flags.extend(self.cc_flag.iter().cloned());
        flags
    }
}
