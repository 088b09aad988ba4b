//! Modules linked to one.

use cairn_llvm::{LinkModule, LoadError, LowerOptions, link_parts as link, load_bytes};

fn part<'a>(name: &'a str, text: &'a str) -> LinkModule<'a> {
    LinkModule {
        name,
        bytes: text.as_bytes(),
    }
}

const MAIN: &str = "declare i32 @f(i32)\ndeclare i32 @outside()\n@counter = external global i32\n\
    define internal i32 @own() {\n  ret i32 1\n}\n\
    define i32 @main() {\n  %a = call i32 @own()\n  %b = call i32 @f(i32 %a)\n  \
    %c = call i32 @outside()\n  %d = load i32, ptr @counter\n  ret i32 %b\n}\n";
const OTHER: &str = "@counter = global i32 3\ndefine internal i32 @own() {\n  ret i32 2\n}\n\
    define i32 @f(i32 %x) {\n  %own = call i32 @own()\n  ret i32 %own\n}\n";

#[test]
fn parts_find_each_other_and_local_names_stay_apart() {
    let linked = link("prog", &[part("main", MAIN), part("other", OTHER)]).expect("they fit");
    let undefined: Vec<&str> = linked.undefined.iter().map(String::as_str).collect();
    assert_eq!(undefined, ["outside"]);
    let lowered = load_bytes("prog", &linked.bitcode, &LowerOptions::default()).expect("valid");
    let defined = lowered
        .program
        .functions
        .iter()
        .filter(|f| f.body.is_some());
    assert_eq!(defined.count(), 4);
    // The result is a part like any other, also beside text.
    let more = LinkModule {
        name: "prog",
        bytes: &linked.bitcode,
    };
    let outside = "define i32 @outside() {\nentry:\n  %v = add i32 1, 2\n  ret i32 %v\n}\n";
    for parts in [[more, part("text", outside)], [part("text", outside), more]] {
        assert!(link("all", &parts).expect("they fit").undefined.is_empty());
    }
}

#[test]
fn what_does_not_fit_is_named() {
    let twice = link("prog", &[part("first", OTHER), part("second", OTHER)]);
    match twice {
        Err(LoadError::Linking { file, message }) => {
            assert_eq!(file, "second");
            assert!(message.contains("counter"), "{message}");
        }
        other => panic!("{other:?}"),
    }
    assert!(link("prog", &[part("first", OTHER), part("bad", "no module")]).is_err());
    assert!(link("prog", &[]).is_err());
}

#[test]
fn of_definitions_that_may_be_replaced_the_first_stays() {
    let weak = |n: u32| format!("define weak i32 @pick() {{\n  ret i32 {n}\n}}\n");
    let (one, two) = (weak(1), weak(2));
    for (first, second) in [(&one, &two), (&two, &one)] {
        let linked = link("prog", &[part("a", first), part("b", second)]).expect("they fit");
        let alone = link("prog", &[part("a", first)]).expect("it is valid");
        let program = |bitcode: &[u8]| {
            let lowered = load_bytes("prog", bitcode, &LowerOptions::default()).expect("valid");
            cairn_ir::text::print(&lowered.program)
        };
        assert_eq!(program(&linked.bitcode), program(&alone.bitcode));
    }
}

#[test]
fn many_parts_are_linked_as_few_are() {
    let text = |n: usize| {
        format!(
            "declare i32 @f{}()\ndefine weak i32 @pick() {{\n  ret i32 {n}\n}}\n\
             define internal i32 @own() {{\n  ret i32 {n}\n}}\n\
             define i32 @f{n}() {{\n  %a = call i32 @own()\n  %b = call i32 @f{}()\n  ret i32 %b\n}}\n",
            n + 1,
            n + 1
        )
    };
    let texts: Vec<String> = (0..150).map(text).collect();
    let mut parts: Vec<LinkModule> = texts.iter().map(|text| part("part", text)).collect();
    let linked = link("prog", &parts).expect("they fit");
    assert_eq!(linked.undefined.iter().collect::<Vec<_>>(), ["f150"]);
    let lowered = load_bytes("prog", &linked.bitcode, &LowerOptions::default()).expect("valid");
    let printed = cairn_ir::text::print(&lowered.program);
    let alone = link("prog", &parts[..1]).expect("it is valid");
    let alone = load_bytes("prog", &alone.bitcode, &LowerOptions::default()).expect("valid");
    let alone = cairn_ir::text::print(&alone.program);
    // The first definition of the weak function is the one that stays.
    let pick = |program: &str| {
        let start = program.find("@pick").expect("it is defined");
        let end = program[start..].find('}').expect("it ends");
        program[start..start + end].to_string()
    };
    assert_eq!(pick(&printed), pick(&alone));
    let functions = lowered.program.functions.iter();
    assert_eq!(functions.filter(|f| f.body.is_some()).count(), 301);
    parts.push(part("again", &texts[3]));
    assert!(matches!(
        link("prog", &parts),
        Err(LoadError::Linking { .. })
    ));
}
