//! What the compiler's flags mean to us: which take the next word, and which are kept when bitcode for
//! exploring is made.

/// Flags whose value is the next word. Those that may also have it attached are here too: attached, they
/// are one word like any other.
const WITH_VALUE: &[&str] = &[
    "-A",
    "-B",
    "-D",
    "-F",
    "-G",
    "-I",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-Tbss",
    "-Tdata",
    "-Ttext",
    "-U",
    "-Xanalyzer",
    "-Xassembler",
    "-Xclang",
    "-Xlinker",
    "-Xopenmp-target",
    "-Xpreprocessor",
    "-arch",
    "-aux-info",
    "-cxx-isystem",
    "-dependency-file",
    "-dumpbase",
    "-dumpdir",
    "-e",
    "-framework",
    "-ftrapv-handler",
    "-idirafter",
    "-iframework",
    "-imacros",
    "-include",
    "-include-pch",
    "-init",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-isystem-after",
    "-ivfsoverlay",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-iwithsysroot",
    "-l",
    "-mllvm",
    "-mthread-model",
    "-o",
    "-resource-dir",
    "-rpath",
    "-serialize-diagnostics",
    "-stdlib++-isystem",
    "-target",
    "-u",
    "-undefined",
    "-working-directory",
    "-x",
    "-z",
    "--config",
    "--define-macro",
    "--dependent-lib",
    "--entry",
    "--for-assembler",
    "--for-linker",
    "--imacros",
    "--include",
    "--include-directory",
    "--include-directory-after",
    "--language",
    "--library-directory",
    "--output",
    "--param",
    "--prefix",
    "--serialize-diagnostics",
    "--sysroot",
    "--undefine-macro",
];

/// Does the flag take the next word?
pub fn takes_next(flag: &str) -> bool {
    WITH_VALUE.contains(&flag) || flag.starts_with("-Xarch_") || flag.starts_with("-Xcuda-")
}

/// Flags that make the compiler print or write something else than objects and programs.
pub fn asks_for_no_object(flag: &str) -> bool {
    const EXACT: &[&str] = &[
        "-###",
        "-E",
        "-M",
        "-MM",
        "-S",
        "--analyze",
        "--assemble",
        "--dependencies",
        "--help",
        "--help-hidden",
        "--precompile",
        "--preprocess",
        "--user-dependencies",
        "--version",
        "-cc1",
        "-cc1as",
        "-dumpmachine",
        "-dumpspecs",
        "-dumpversion",
        "-emit-ast",
        "-emit-llvm",
        "-emit-pth",
        "-extract-api",
        "-fsyntax-only",
        "-help",
        "-rewrite-legacy-objc",
        "-rewrite-objc",
        "-verify-pch",
    ];
    EXACT.contains(&flag)
        || ["-print-", "--print-", "--autocomplete", "-emit-interface"]
            .iter()
            .any(|start| flag.starts_with(start))
}

/// Flags for optimising when linking: objects must be machine code, and explorers want it plain.
pub fn is_link_time_optimisation(flag: &str) -> bool {
    flag == "-flto"
        || [
            "-flto=",
            "-flto-",
            "-ffat-lto-objects",
            "-fwhole-program-vtables",
            "-fvirtual-function-elimination",
            "-fsplit-lto-unit",
            "-funified-lto",
            "-fthin-link",
            "-fthinlto",
        ]
        .iter()
        .any(|start| flag.starts_with(start))
}

/// Flags for instructions that only some processors have.
pub fn is_instruction_set(flag: &str) -> bool {
    [
        "-march=",
        "-mtune=",
        "-mcpu=",
        "-msse",
        "-mssse",
        "-mavx",
        "-mfma",
        "-mf16c",
        "-mbmi",
        "-mlzcnt",
        "-mpopcnt",
        "-maes",
        "-mvaes",
        "-mpclmul",
        "-mvpclmul",
        "-msha",
        "-mgfni",
        "-mxop",
        "-mprefer-vector-width",
        "-mamx",
    ]
    .iter()
    .any(|start| flag.starts_with(start))
}

/// Is the flag left out when bitcode for exploring is made? What the source means stays; what is about
/// messages, linking, optimising, debugging and watching the native program goes.
pub fn is_left_out(flag: &str) -> bool {
    // Linking, messages, what is written besides.
    const EXACT: &[&str] = &[
        "-c",
        "--compile",
        "-o",
        "-L",
        "-l",
        "-T",
        "-Tbss",
        "-Tdata",
        "-Ttext",
        "-u",
        "-z",
        "-e",
        "-r",
        "-s",
        "-w",
        "-v",
        "-pg",
        "-p",
        "-pie",
        "-no-pie",
        "-pipe",
        "-rdynamic",
        "-rpath",
        "-shared",
        "-static",
        "-symbolic",
        "-nostdlib",
        "-nodefaultlibs",
        "-nostartfiles",
        "-Xlinker",
        "-Xassembler",
        "-Xanalyzer",
        "-mllvm",
        "-dumpbase",
        "-dumpdir",
        "-aux-info",
        "-dependency-file",
        "-serialize-diagnostics",
        "--serialize-diagnostics",
        "--coverage",
        "-coverage",
        "-ftest-coverage",
        "-fvectorize",
        "-ftree-vectorize",
        "-fslp-vectorize",
        "-ftree-slp-vectorize",
        "-x",
        "--language",
    ];
    const BEGINNINGS: &[&str] = &[
        "-O",
        "-g",
        "-M",
        "-L",
        "-l",
        "-Wa,",
        "-Wl,",
        "-pedantic",
        "-static-",
        "-shared-",
        "-fuse-ld",
        "-save-temps",
        "--save-temps",
        "-ftime-",
        "-fsanitize",
        "-fno-sanitize",
        "-fprofile",
        "-fcs-profile",
        "-fcoverage-m",
        "-finstrument",
        "-fxray",
        "-fstack-protector",
        "-fstack-clash",
        "-fcf-protection",
        "-fembed-bitcode",
        "-fdiagnostics",
        "-fcolor-diagnostics",
        "-fsave-optimization-record",
        "-D_FORTIFY_SOURCE",
        "-Wp,-D_FORTIFY_SOURCE",
        "-Wp,-U_FORTIFY_SOURCE",
        "-Wp,-M",
    ];
    let about_warnings = flag.starts_with("-W") && !flag.starts_with("-Wp,");
    EXACT.contains(&flag)
        || about_warnings
        || is_link_time_optimisation(flag)
        || BEGINNINGS.iter().any(|start| flag.starts_with(start))
}
