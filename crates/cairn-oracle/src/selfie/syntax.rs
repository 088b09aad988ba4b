//! The syntax tree of a program. Pointers are addresses in bytes: the parser has scaled what is added to them.

/// A program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// How many global variables there are.
    pub globals: usize,
    /// Its procedures.
    pub procedures: Vec<Procedure>,
    /// The procedure that is `main`.
    pub main: usize,
    /// How many places there are at which a run can go wrong.
    pub sites: usize,
}

/// A procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// How many arguments it takes: its first variables.
    pub params: usize,
    /// How many variables it has, with its arguments.
    pub variables: usize,
    /// What it does.
    pub body: Vec<Statement>,
}

/// Where a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// A global variable.
    Global(usize),
    /// A variable of the procedure.
    Local(usize),
}

/// A place at which a run can go wrong: divisions, assertions, inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site(pub usize);

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// A variable gets a value.
    Assign(Variable, Expr),
    /// The word at an address gets a value.
    Store(Expr, Expr),
    /// One of two lists.
    If(Expr, Vec<Statement>, Vec<Statement>),
    /// A list, as long as a condition is not zero.
    While(Expr, Vec<Statement>),
    /// The end of the procedure.
    Return(Expr),
    /// A call whose result is not wanted.
    Call(Callee, Vec<Expr>),
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A number.
    Number(u64),
    /// What a variable holds.
    Variable(Variable),
    /// Where a variable is.
    Address(Variable),
    /// The word at an address.
    Load(Box<Expr>),
    /// An operator.
    Binary(Operator, Box<Expr>, Box<Expr>),
    /// A call.
    Call(Callee, Vec<Expr>),
}

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// A procedure of the program.
    Procedure(usize),
    /// A block of zeros, as many bytes as the argument says.
    Malloc,
    /// The end of the program.
    Exit,
    /// `interval`: address, first number, last number, step.
    Interval(Site),
    /// `assert`.
    Assert(Site),
    /// `printsv`: a number, and the value that is shown.
    Printsv,
    /// `assert_begin`.
    ZoneBegins,
    /// `assert_end`.
    ZoneEnds,
}

/// An operator on words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div(Site),
    /// `%`
    Rem(Site),
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
}
