//! Programs about calls: variadic functions, structures by value, pointers to functions.
//!
//! How arguments travel depends on their classes (integers, floating-point numbers, memory) and on
//! how many registers are left, so lists are long and mixed.

use super::draft::{Draft, c};
use super::shapes::{Shape, declare};
use crate::random::Draw;

/// What is passed: a plain type or a structure.
#[derive(Clone)]
enum PassedType {
    Plain(&'static str, &'static str, &'static str),
    Shape(Shape),
}

/// Plain types that variadic arguments may have, how one is made of `s`, and how one is shown.
///
/// Integers of 128 bits are not among them: the compiler takes them from elsewhere than it puts
/// them if one register is left.
const PLAIN: &[PassedType] = &[
    PassedType::Plain("int", "(int)(s)", "show(\"int\", (u64)(v));"),
    PassedType::Plain("int", "(int)(s)", "show(\"int\", (u64)(v));"),
    PassedType::Plain("long", "(long)(s)", "show(\"long\", (u64)(v));"),
    PassedType::Plain("unsigned", "(unsigned)(s)", "show(\"unsigned\", v);"),
    PassedType::Plain("double", "(double)(i32)(s)", "printf(\"double %g\\n\", v);"),
    PassedType::Plain(
        "double",
        "(double)(i32)(s) / 4",
        "printf(\"double %a\\n\", v);",
    ),
    PassedType::Plain(
        "long double",
        "(long double)(i64)(s)",
        "printf(\"xf %Lg\\n\", v);",
    ),
    PassedType::Plain(
        "char *",
        "(char *)texts[(s) % 4]",
        "printf(\"text %s\\n\", v);",
    ),
    PassedType::Plain("Unary", "unaries[(s) % 3]", "show(\"call\", v(5));"),
];

const PRELUDE: &str = r#"
static const char *const texts[4] = {"", "one", "two words", "%d"};
typedef u64 (*Unary)(u64);
static u64 twice(u64 x) { return 2 * x; }
static u64 square(u64 x) { return x * x; }
static u64 flip(u64 x) { return ~x; }
static Unary const unaries[3] = {twice, square, flip};
"#;

impl PassedType {
    fn name(&self) -> String {
        match self {
            PassedType::Plain(name, ..) => (*name).to_string(),
            PassedType::Shape(shape) => shape.name.clone(),
        }
    }

    fn make(&self, from: &str) -> String {
        match self {
            PassedType::Plain(_, made, _) => made.replace("(s)", &format!("({from})")),
            PassedType::Shape(shape) => shape.make(from),
        }
    }

    fn show(&self) -> String {
        match self {
            PassedType::Plain(_, _, shown) => (*shown).to_string(),
            PassedType::Shape(shape) => shape.show("v"),
        }
    }
}

/// The program of a seed.
pub(super) fn program(seed: u64) -> String {
    let mut draft = Draft::new(seed);
    let mut shapes: Vec<Shape> = Vec::new();
    for _ in 0..draft.random.within(3, 8) {
        let shape = declare(&mut draft, &shapes);
        shapes.push(shape);
    }
    for _ in 0..draft.random.within(4, 12) {
        match draft.random.below(4) {
            0 | 1 => variadic(&mut draft, &shapes),
            2 => by_value(&mut draft, &shapes),
            _ => by_table(&mut draft, &shapes),
        }
    }
    draft.finish(PRELUDE)
}

fn passed(draft: &mut Draft, shapes: &[Shape]) -> PassedType {
    if draft.random.chance(40) {
        PassedType::Shape(draft.random.pick(shapes).clone())
    } else {
        draft.random.pick(PLAIN).clone()
    }
}

fn list(draft: &mut Draft, shapes: &[Shape]) -> Vec<PassedType> {
    let count = match draft.random.below(3) {
        0 => draft.random.within(0, 4),
        1 => draft.random.within(3, 9),
        _ => draft.random.within(8, 20),
    };
    // Now and then many of one class, so that registers run out.
    if draft.random.chance(25) {
        let one = passed(draft, shapes);
        return vec![one; count as usize];
    }
    (0..count).map(|_| passed(draft, shapes)).collect()
}

fn arguments(draft: &mut Draft, list: &[PassedType]) -> Vec<String> {
    let make = |p: &PassedType| p.make(&draft.value());
    list.iter().map(make).collect()
}

/// Statements that take the arguments of a list in turn.
fn taking(list: &[PassedType], from: &str) -> String {
    let take = |p: &PassedType| {
        c!(
            "{ $t v = va_arg($from, $t); $show }\n",
            t = p.name(),
            from = from,
            show = p.show(),
        )
    };
    list.iter().map(take).collect()
}

fn variadic(draft: &mut Draft, shapes: &[Shape]) {
    let named: Vec<PassedType> = {
        let mut all = list(draft, shapes);
        all.truncate(5);
        all
    };
    let rest = list(draft, shapes);
    let (function, helper) = (draft.fresh("variadic"), draft.fresh("take"));
    let split = draft.random.below(rest.len() + 1);
    let (first, second) = rest.split_at(split);
    let body = match draft.random.below(4) {
        // All in one function.
        0 => taking(&rest, "ap"),
        // The second half by a function that gets the list.
        1 => {
            draft.top(&c!(
                "__attribute__((noinline)) static void $helper(va_list ap) {\n$take}",
                helper = helper,
                take = taking(second, "ap"),
            ));
            format!("{}{helper}(ap);\n", taking(first, "ap"))
        }
        // The second half by a function that gets a pointer to the list, which goes on.
        2 => {
            let at = draft.random.below(second.len() + 1);
            let (middle, last) = second.split_at(at);
            draft.top(&c!(
                "static void $helper(va_list *ap) {\n$take}",
                helper = helper,
                take = taking(middle, "*ap"),
            ));
            format!(
                "{}{helper}(&ap);\n{}",
                taking(first, "ap"),
                taking(last, "ap")
            )
        }
        // A copy made in the middle takes the second half again.
        _ => c!(
            "$first va_list again; va_copy(again, ap);\n$second $repeated va_end(again);\n",
            first = taking(first, "ap"),
            second = taking(second, "ap"),
            repeated = taking(second, "again"),
        ),
    };
    let params: String = (0..)
        .zip(&named)
        .map(|(i, p)| format!("{} p{i}, ", p.name()))
        .collect();
    let shown: String = (0..)
        .zip(&named)
        .map(|(i, p)| format!("{{ {} v = p{i}; {} }}\n", p.name(), p.show()))
        .collect();
    let inline = *draft
        .random
        .pick(&["", "static ", "__attribute__((noinline)) static "]);
    draft.top(&c!(
        "$inline u64 $f($params int last, ...) {\n$shown va_list ap; va_start(ap, last);\n\
         $body va_end(ap);\nreturn (u64)last + 1; }",
        inline = inline,
        f = function,
        params = params,
        shown = shown,
        body = body,
    ));
    let mut given = arguments(draft, &named);
    given.push(draft.random.below(100).to_string());
    given.extend(arguments(draft, &rest));
    let given = given.join(", ");
    if draft.random.chance(30) {
        let types: String = named.iter().map(|p| p.name() + ", ").collect();
        draft.say(&c!(
            "{ u64 (*volatile f)($types int, ...) = $f; show(\"$f\", f($given)); }",
            types = types,
            f = function,
            given = given,
        ));
    } else {
        draft.say(&format!("show(\"{function}\", {function}({given}));"));
    }
}

/// A function that takes a list by value and gives one of its kinds back.
fn by_value(draft: &mut Draft, shapes: &[Shape]) {
    let mut all = list(draft, shapes);
    let result = passed(draft, shapes);
    let at = draft.random.below(all.len() + 1);
    all.insert(at, result.clone());
    let function = draft.fresh("value");
    let params: Vec<String> = (0..)
        .zip(&all)
        .map(|(i, p)| format!("{} p{i}", p.name()))
        .collect();
    let shown: String = (0..)
        .zip(&all)
        .map(|(i, p)| format!("{{ {} v = p{i}; {} }}\n", p.name(), p.show()))
        .collect();
    let inline = *draft
        .random
        .pick(&["", "static ", "__attribute__((noinline)) static "]);
    draft.top(&c!(
        "$inline $t $f($params) {\n$shown return p$at; }",
        inline = inline,
        t = result.name(),
        f = function,
        params = params.join(", "),
        shown = shown,
        at = at,
    ));
    let given = arguments(draft, &all).join(", ");
    let call = if draft.random.chance(30) {
        draft.say(&c!(
            "{ __typeof__(&$f) volatile f = $f; __typeof__(f($given)) v = f($given); $show }",
            f = function,
            given = given,
            show = result.show(),
        ));
        return;
    } else {
        format!("{function}({given})")
    };
    draft.say(&c!(
        "{ $t v = $call; $show }",
        t = result.name(),
        call = call,
        show = result.show(),
    ));
}

/// A table of functions of one type, called by an index that the compiler does not know.
fn by_table(draft: &mut Draft, shapes: &[Shape]) {
    let (a, b) = (passed(draft, shapes), passed(draft, shapes));
    let table = draft.fresh("table");
    let count = draft.random.within(2, 5);
    let mut names = Vec::new();
    for i in 0..count {
        let name = format!("{table}_{i}");
        let more = draft.special();
        draft.top(&c!(
            "static u64 $name($a x, u64 n, $b y) { { $a v = x; $sa } { $b v = y; $sb } \
             return n ^ $more; }",
            name = name,
            a = a.name(),
            b = b.name(),
            sa = a.show(),
            sb = b.show(),
            more = format!("{more:#x}ull"),
        ));
        names.push(name);
    }
    draft.top(&c!(
        "static u64 (*const $table[])($a, u64, $b) = {$names};",
        table = table,
        a = a.name(),
        b = b.name(),
        names = names.join(", "),
    ));
    let (s, t) = (draft.value(), draft.value());
    draft.say(&c!(
        "for (u64 i = 0; i < 4; i++) \
         show(\"$table\", $table[($s + i) % $count]($x, i, $y));",
        table = table,
        s = s,
        count = count,
        x = a.make(&t),
        y = b.make(&s),
    ));
}
