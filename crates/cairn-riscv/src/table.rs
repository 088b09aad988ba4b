//! The encodings of RV64GC: one row for each 32-bit instruction.
//!
//! A row is the name, the bits that are fixed (their value and which they are), and the operands in
//! the order in which assembly writes them. Decoding, printing and the tests against LLVM all read
//! this one table; [`crate::decode`] says how a word is looked up.

/// An operand of an instruction, and by that the bits it is encoded in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandField {
    /// The destination, an integer register.
    Rd,
    /// The destination, a floating-point register.
    Fd,
    /// The first source, an integer register.
    Rs1,
    /// The first source, a floating-point register.
    Fs1,
    /// The second source, an integer register.
    Rs2,
    /// The second source, a floating-point register.
    Fs2,
    /// The third source, a floating-point register.
    Fs3,
    /// A signed immediate of 12 bits.
    Imm,
    /// A shift distance of five bits.
    Shamt5,
    /// A shift distance of six bits.
    Shamt6,
    /// The upper 20 bits of a word.
    Upper,
    /// A branch's distance: 13 bits.
    Branch,
    /// A jump's distance: 21 bits.
    Jump,
    /// A register and a distance of 12 bits, as loads have it.
    LoadAt,
    /// A register and a distance of 12 bits, as stores have it.
    StoreAt,
    /// A register, as atomic instructions have it.
    At,
    /// The number of a control register.
    Csr,
    /// A constant of five bits where others have the first source.
    Zimm,
    /// A rounding mode; 5 and 6 are none.
    Rm,
    /// What a fence orders before itself, and after.
    Fence,
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpcodeRow {
    /// The instruction.
    pub op: Opcode,
    /// Its name in assembly.
    pub name: &'static str,
    /// The value of its fixed bits.
    pub bits: u32,
    /// Which bits are fixed.
    pub mask: u32,
    /// Its operands.
    pub fields: &'static [OperandField],
}

macro_rules! table {
    ($($op:ident $name:literal $bits:literal $mask:ident [$($field:ident)*];)*) => {
        /// The instructions, by the names of the manual.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the names are those of the manual")]
        pub enum Opcode { $($op),* }

        /// All rows, in the order of [`Opcode`].
        pub const TABLE: &[OpcodeRow] = &[
            $(OpcodeRow {
                op: Opcode::$op,
                name: $name,
                bits: $bits,
                mask: mask::$mask,
                fields: &[$(OperandField::$field),*],
            }),*
        ];
    };
}

impl Opcode {
    /// Its row.
    pub fn row(self) -> &'static OpcodeRow {
        &TABLE[self as usize]
    }
}

/// Which bits are fixed, by the kind of instruction.
mod mask {
    /// The major opcode.
    pub const OPCODE: u32 = 0x0000_007f;
    /// And the three bits above the destination.
    pub const MINOR: u32 = 0x0000_707f;
    /// And the upper seven.
    pub const FULL: u32 = 0xfe00_707f;
    /// And the upper six.
    pub const SHIFT: u32 = 0xfc00_707f;
    /// An atomic instruction: the upper five; order bits are free.
    pub const ATOMIC: u32 = 0xf800_707f;
    /// An atomic instruction without second source.
    pub const RESERVE: u32 = 0xf9f0_707f;
    /// Floating point with a rounding mode: the upper seven.
    pub const FLOAT: u32 = 0xfe00_007f;
    /// The same without second source.
    pub const CONVERT: u32 = 0xfff0_007f;
    /// Without second source and rounding mode.
    pub const MOVE: u32 = 0xfff0_707f;
    /// Three sources: the two bits of the format.
    pub const FUSED: u32 = 0x0600_007f;
    /// A fence: order bits are free.
    pub const FENCE: u32 = 0xf00f_ffff;
    /// Everything.
    pub const ALL: u32 = 0xffff_ffff;
}

table! {
    Lui "lui" 0x37 OPCODE [Rd Upper];
    Auipc "auipc" 0x17 OPCODE [Rd Upper];
    Jal "jal" 0x6f OPCODE [Rd Jump];
    Jalr "jalr" 0x67 MINOR [Rd LoadAt];
    Beq "beq" 0x63 MINOR [Rs1 Rs2 Branch];
    Bne "bne" 0x1063 MINOR [Rs1 Rs2 Branch];
    Blt "blt" 0x4063 MINOR [Rs1 Rs2 Branch];
    Bge "bge" 0x5063 MINOR [Rs1 Rs2 Branch];
    Bltu "bltu" 0x6063 MINOR [Rs1 Rs2 Branch];
    Bgeu "bgeu" 0x7063 MINOR [Rs1 Rs2 Branch];
    Lb "lb" 0x03 MINOR [Rd LoadAt];
    Lh "lh" 0x1003 MINOR [Rd LoadAt];
    Lw "lw" 0x2003 MINOR [Rd LoadAt];
    Ld "ld" 0x3003 MINOR [Rd LoadAt];
    Lbu "lbu" 0x4003 MINOR [Rd LoadAt];
    Lhu "lhu" 0x5003 MINOR [Rd LoadAt];
    Lwu "lwu" 0x6003 MINOR [Rd LoadAt];
    Sb "sb" 0x23 MINOR [Rs2 StoreAt];
    Sh "sh" 0x1023 MINOR [Rs2 StoreAt];
    Sw "sw" 0x2023 MINOR [Rs2 StoreAt];
    Sd "sd" 0x3023 MINOR [Rs2 StoreAt];
    Addi "addi" 0x13 MINOR [Rd Rs1 Imm];
    Slti "slti" 0x2013 MINOR [Rd Rs1 Imm];
    Sltiu "sltiu" 0x3013 MINOR [Rd Rs1 Imm];
    Xori "xori" 0x4013 MINOR [Rd Rs1 Imm];
    Ori "ori" 0x6013 MINOR [Rd Rs1 Imm];
    Andi "andi" 0x7013 MINOR [Rd Rs1 Imm];
    Slli "slli" 0x1013 SHIFT [Rd Rs1 Shamt6];
    Srli "srli" 0x5013 SHIFT [Rd Rs1 Shamt6];
    Srai "srai" 0x40005013 SHIFT [Rd Rs1 Shamt6];
    Add "add" 0x33 FULL [Rd Rs1 Rs2];
    Sub "sub" 0x40000033 FULL [Rd Rs1 Rs2];
    Sll "sll" 0x1033 FULL [Rd Rs1 Rs2];
    Slt "slt" 0x2033 FULL [Rd Rs1 Rs2];
    Sltu "sltu" 0x3033 FULL [Rd Rs1 Rs2];
    Xor "xor" 0x4033 FULL [Rd Rs1 Rs2];
    Srl "srl" 0x5033 FULL [Rd Rs1 Rs2];
    Sra "sra" 0x40005033 FULL [Rd Rs1 Rs2];
    Or "or" 0x6033 FULL [Rd Rs1 Rs2];
    And "and" 0x7033 FULL [Rd Rs1 Rs2];
    Addiw "addiw" 0x1b MINOR [Rd Rs1 Imm];
    Slliw "slliw" 0x101b FULL [Rd Rs1 Shamt5];
    Srliw "srliw" 0x501b FULL [Rd Rs1 Shamt5];
    Sraiw "sraiw" 0x4000501b FULL [Rd Rs1 Shamt5];
    Addw "addw" 0x3b FULL [Rd Rs1 Rs2];
    Subw "subw" 0x4000003b FULL [Rd Rs1 Rs2];
    Sllw "sllw" 0x103b FULL [Rd Rs1 Rs2];
    Srlw "srlw" 0x503b FULL [Rd Rs1 Rs2];
    Sraw "sraw" 0x4000503b FULL [Rd Rs1 Rs2];
    Fence "fence" 0x0f FENCE [Fence];
    FenceTso "fence.tso" 0x8330000f ALL [];
    FenceI "fence.i" 0x100f ALL [];
    Ecall "ecall" 0x73 ALL [];
    Ebreak "ebreak" 0x100073 ALL [];
    Csrrw "csrrw" 0x1073 MINOR [Rd Csr Rs1];
    Csrrs "csrrs" 0x2073 MINOR [Rd Csr Rs1];
    Csrrc "csrrc" 0x3073 MINOR [Rd Csr Rs1];
    Csrrwi "csrrwi" 0x5073 MINOR [Rd Csr Zimm];
    Csrrsi "csrrsi" 0x6073 MINOR [Rd Csr Zimm];
    Csrrci "csrrci" 0x7073 MINOR [Rd Csr Zimm];
    Mul "mul" 0x02000033 FULL [Rd Rs1 Rs2];
    Mulh "mulh" 0x02001033 FULL [Rd Rs1 Rs2];
    Mulhsu "mulhsu" 0x02002033 FULL [Rd Rs1 Rs2];
    Mulhu "mulhu" 0x02003033 FULL [Rd Rs1 Rs2];
    Div "div" 0x02004033 FULL [Rd Rs1 Rs2];
    Divu "divu" 0x02005033 FULL [Rd Rs1 Rs2];
    Rem "rem" 0x02006033 FULL [Rd Rs1 Rs2];
    Remu "remu" 0x02007033 FULL [Rd Rs1 Rs2];
    Mulw "mulw" 0x0200003b FULL [Rd Rs1 Rs2];
    Divw "divw" 0x0200403b FULL [Rd Rs1 Rs2];
    Divuw "divuw" 0x0200503b FULL [Rd Rs1 Rs2];
    Remw "remw" 0x0200603b FULL [Rd Rs1 Rs2];
    Remuw "remuw" 0x0200703b FULL [Rd Rs1 Rs2];
    LrW "lr.w" 0x1000202f RESERVE [Rd At];
    ScW "sc.w" 0x1800202f ATOMIC [Rd Rs2 At];
    AmoswapW "amoswap.w" 0x0800202f ATOMIC [Rd Rs2 At];
    AmoaddW "amoadd.w" 0x0000202f ATOMIC [Rd Rs2 At];
    AmoxorW "amoxor.w" 0x2000202f ATOMIC [Rd Rs2 At];
    AmoandW "amoand.w" 0x6000202f ATOMIC [Rd Rs2 At];
    AmoorW "amoor.w" 0x4000202f ATOMIC [Rd Rs2 At];
    AmominW "amomin.w" 0x8000202f ATOMIC [Rd Rs2 At];
    AmomaxW "amomax.w" 0xa000202f ATOMIC [Rd Rs2 At];
    AmominuW "amominu.w" 0xc000202f ATOMIC [Rd Rs2 At];
    AmomaxuW "amomaxu.w" 0xe000202f ATOMIC [Rd Rs2 At];
    LrD "lr.d" 0x1000302f RESERVE [Rd At];
    ScD "sc.d" 0x1800302f ATOMIC [Rd Rs2 At];
    AmoswapD "amoswap.d" 0x0800302f ATOMIC [Rd Rs2 At];
    AmoaddD "amoadd.d" 0x0000302f ATOMIC [Rd Rs2 At];
    AmoxorD "amoxor.d" 0x2000302f ATOMIC [Rd Rs2 At];
    AmoandD "amoand.d" 0x6000302f ATOMIC [Rd Rs2 At];
    AmoorD "amoor.d" 0x4000302f ATOMIC [Rd Rs2 At];
    AmominD "amomin.d" 0x8000302f ATOMIC [Rd Rs2 At];
    AmomaxD "amomax.d" 0xa000302f ATOMIC [Rd Rs2 At];
    AmominuD "amominu.d" 0xc000302f ATOMIC [Rd Rs2 At];
    AmomaxuD "amomaxu.d" 0xe000302f ATOMIC [Rd Rs2 At];
    Flw "flw" 0x2007 MINOR [Fd LoadAt];
    Fld "fld" 0x3007 MINOR [Fd LoadAt];
    Fsw "fsw" 0x2027 MINOR [Fs2 StoreAt];
    Fsd "fsd" 0x3027 MINOR [Fs2 StoreAt];
    FmaddS "fmadd.s" 0x43 FUSED [Fd Fs1 Fs2 Fs3 Rm];
    FmsubS "fmsub.s" 0x47 FUSED [Fd Fs1 Fs2 Fs3 Rm];
    FnmsubS "fnmsub.s" 0x4b FUSED [Fd Fs1 Fs2 Fs3 Rm];
    FnmaddS "fnmadd.s" 0x4f FUSED [Fd Fs1 Fs2 Fs3 Rm];
    FmaddD "fmadd.d" 0x02000043 FUSED [Fd Fs1 Fs2 Fs3 Rm];
    FmsubD "fmsub.d" 0x02000047 FUSED [Fd Fs1 Fs2 Fs3 Rm];
    FnmsubD "fnmsub.d" 0x0200004b FUSED [Fd Fs1 Fs2 Fs3 Rm];
    FnmaddD "fnmadd.d" 0x0200004f FUSED [Fd Fs1 Fs2 Fs3 Rm];
    FaddS "fadd.s" 0x53 FLOAT [Fd Fs1 Fs2 Rm];
    FsubS "fsub.s" 0x08000053 FLOAT [Fd Fs1 Fs2 Rm];
    FmulS "fmul.s" 0x10000053 FLOAT [Fd Fs1 Fs2 Rm];
    FdivS "fdiv.s" 0x18000053 FLOAT [Fd Fs1 Fs2 Rm];
    FsqrtS "fsqrt.s" 0x58000053 CONVERT [Fd Fs1 Rm];
    FsgnjS "fsgnj.s" 0x20000053 FULL [Fd Fs1 Fs2];
    FsgnjnS "fsgnjn.s" 0x20001053 FULL [Fd Fs1 Fs2];
    FsgnjxS "fsgnjx.s" 0x20002053 FULL [Fd Fs1 Fs2];
    FminS "fmin.s" 0x28000053 FULL [Fd Fs1 Fs2];
    FmaxS "fmax.s" 0x28001053 FULL [Fd Fs1 Fs2];
    FcvtWS "fcvt.w.s" 0xc0000053 CONVERT [Rd Fs1 Rm];
    FcvtWuS "fcvt.wu.s" 0xc0100053 CONVERT [Rd Fs1 Rm];
    FcvtLS "fcvt.l.s" 0xc0200053 CONVERT [Rd Fs1 Rm];
    FcvtLuS "fcvt.lu.s" 0xc0300053 CONVERT [Rd Fs1 Rm];
    FmvXW "fmv.x.w" 0xe0000053 MOVE [Rd Fs1];
    FeqS "feq.s" 0xa0002053 FULL [Rd Fs1 Fs2];
    FltS "flt.s" 0xa0001053 FULL [Rd Fs1 Fs2];
    FleS "fle.s" 0xa0000053 FULL [Rd Fs1 Fs2];
    FclassS "fclass.s" 0xe0001053 MOVE [Rd Fs1];
    FcvtSW "fcvt.s.w" 0xd0000053 CONVERT [Fd Rs1 Rm];
    FcvtSWu "fcvt.s.wu" 0xd0100053 CONVERT [Fd Rs1 Rm];
    FcvtSL "fcvt.s.l" 0xd0200053 CONVERT [Fd Rs1 Rm];
    FcvtSLu "fcvt.s.lu" 0xd0300053 CONVERT [Fd Rs1 Rm];
    FmvWX "fmv.w.x" 0xf0000053 MOVE [Fd Rs1];
    FaddD "fadd.d" 0x02000053 FLOAT [Fd Fs1 Fs2 Rm];
    FsubD "fsub.d" 0x0a000053 FLOAT [Fd Fs1 Fs2 Rm];
    FmulD "fmul.d" 0x12000053 FLOAT [Fd Fs1 Fs2 Rm];
    FdivD "fdiv.d" 0x1a000053 FLOAT [Fd Fs1 Fs2 Rm];
    FsqrtD "fsqrt.d" 0x5a000053 CONVERT [Fd Fs1 Rm];
    FsgnjD "fsgnj.d" 0x22000053 FULL [Fd Fs1 Fs2];
    FsgnjnD "fsgnjn.d" 0x22001053 FULL [Fd Fs1 Fs2];
    FsgnjxD "fsgnjx.d" 0x22002053 FULL [Fd Fs1 Fs2];
    FminD "fmin.d" 0x2a000053 FULL [Fd Fs1 Fs2];
    FmaxD "fmax.d" 0x2a001053 FULL [Fd Fs1 Fs2];
    FcvtSD "fcvt.s.d" 0x40100053 CONVERT [Fd Fs1 Rm];
    FcvtDS "fcvt.d.s" 0x42000053 CONVERT [Fd Fs1 Rm];
    FeqD "feq.d" 0xa2002053 FULL [Rd Fs1 Fs2];
    FltD "flt.d" 0xa2001053 FULL [Rd Fs1 Fs2];
    FleD "fle.d" 0xa2000053 FULL [Rd Fs1 Fs2];
    FclassD "fclass.d" 0xe2001053 MOVE [Rd Fs1];
    FcvtWD "fcvt.w.d" 0xc2000053 CONVERT [Rd Fs1 Rm];
    FcvtWuD "fcvt.wu.d" 0xc2100053 CONVERT [Rd Fs1 Rm];
    FcvtLD "fcvt.l.d" 0xc2200053 CONVERT [Rd Fs1 Rm];
    FcvtLuD "fcvt.lu.d" 0xc2300053 CONVERT [Rd Fs1 Rm];
    FcvtDW "fcvt.d.w" 0xd2000053 CONVERT [Fd Rs1 Rm];
    FcvtDWu "fcvt.d.wu" 0xd2100053 CONVERT [Fd Rs1 Rm];
    FcvtDL "fcvt.d.l" 0xd2200053 CONVERT [Fd Rs1 Rm];
    FcvtDLu "fcvt.d.lu" 0xd2300053 CONVERT [Fd Rs1 Rm];
    FmvXD "fmv.x.d" 0xe2000053 MOVE [Rd Fs1];
    FmvDX "fmv.d.x" 0xf2000053 MOVE [Fd Rs1];
}
