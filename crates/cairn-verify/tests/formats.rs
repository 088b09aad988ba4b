//! Reading tasks and properties, writing witnesses and suites.

use cairn_verify::{
    DataModel, NondetType, Property, PropertyFile, ReturnedInput, SourceText, TaskLanguage,
    VerificationTask, Violation, WitnessContent, WitnessMetadata, WitnessPosition, type_of_input,
    witness,
};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

fn property(text: &str) -> Result<Property, String> {
    let read = PropertyFile::parse(Path::new("p.prp"), text);
    read.map(|file| file.property).map_err(|e| e.to_string())
}

#[test]
fn properties_are_understood() {
    let call = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n";
    assert_eq!(
        property(call),
        Ok(Property::UnreachCall("reach_error".to_string()))
    );
    let memory = "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\n\
                  CHECK( init(main()), LTL(G valid-memtrack) )\n\n";
    let all = vec![Violation::Dereference, Violation::Free, Violation::Tracking];
    assert_eq!(property(memory), Ok(Property::MemorySafety(all)));
    let one = "CHECK(init(main()),LTL(G valid-memcleanup))";
    assert_eq!(property(one), Ok(Property::MemoryCleanup));
    let overflow = "CHECK( init(main()), LTL(G ! overflow) )";
    assert_eq!(property(overflow), Ok(Property::NoOverflow));
    let end = "CHECK( init(main()), LTL(F end) )";
    assert_eq!(property(end), Ok(Property::Termination));
    let tests = "COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )";
    assert_eq!(property(tests), Ok(Property::CoverBranches));
    let error = "COVER( init(main()), FQL(COVER EDGES(@CALL(reach_error))) )";
    assert_eq!(
        property(error),
        Ok(Property::CoverCall("reach_error".to_string()))
    );
}

#[test]
fn what_is_wrong_with_a_property_is_one_sentence() {
    let cases = [
        (
            "",
            "p.prp: no property: expected a line such as CHECK( init(main()), LTL(G ! call(reach_error())) )",
        ),
        (
            "hello",
            "p.prp:1: expected CHECK( init(main()), LTL(...) ) or COVER( init(main()), FQL(...) )",
        ),
        (
            "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G ! overflow) )",
            "p.prp: several properties: expected one, or valid-deref, valid-free and valid-memtrack together",
        ),
        (
            "CHECK( init(main()), LTL(G ! data-race) )",
            "p.prp:1: data races are not looked for: threads are not modelled",
        ),
        (
            "CHECK( init(main()), LTL(X end) )",
            "p.prp:1: unknown formula Xend: expected G ! call(F()), G valid-free, G valid-deref, G valid-memtrack, G \
             valid-memcleanup, G ! overflow or F end",
        ),
        (
            "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(f()), LTL(G valid-deref) )",
            "p.prp:2: starts with f where the lines before start with another function",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(property(text), Err(expected.to_string()));
    }
}

fn task(text: &str) -> Result<VerificationTask, String> {
    VerificationTask::parse(Path::new("folder/t.yml"), text).map_err(|e| e.to_string())
}

#[test]
fn tasks_of_both_formats_are_understood() {
    let text = "format_version: '2.0'\ninput_files: 'a.c'\nproperties:\n  - property_file: ../p.prp\n    \
                expected_verdict: false\n    subproperty: valid-free\noptions:\n  language: C\n  data_model: ILP32\n";
    let read = task(text).expect("it is right");
    assert_eq!(read.input_files, [PathBuf::from("folder/a.c")]);
    assert_eq!(read.data_model, Some(DataModel::Ilp32));
    assert_eq!(read.language, Some(TaskLanguage::C));
    let [property] = read.properties.as_slice() else {
        panic!("one property");
    };
    assert_eq!(property.file, PathBuf::from("folder/../p.prp"));
    assert_eq!(property.expected, Some(false));
    assert_eq!(property.subproperty.as_deref(), Some("valid-free"));
    let text = "format_version: 1.0\ninput_files:\n  - a.i\n  - b.i\nproperties: []\n";
    let read = task(text).expect("it is right");
    assert_eq!(read.input_files.len(), 2);
    assert_eq!((read.language, read.data_model), (None, None));
}

#[test]
fn what_is_wrong_with_a_task_is_one_sentence() {
    let cases = [
        (
            "",
            "folder/t.yml: not a task definition: expected keys format_version, input_files and properties",
        ),
        (
            "a: [",
            "folder/t.yml:2: not YAML: while parsing a node, did not find expected node content",
        ),
        (
            "input_files: a.c",
            "folder/t.yml: format_version is missing: expected '1.0' or '2.0'",
        ),
        (
            "format_version: '9'\ninput_files: a.c",
            "folder/t.yml: format_version 9 is not known: expected '1.0' or '2.0'",
        ),
        (
            "format_version: '2.0'",
            "folder/t.yml: input_files is missing: expected a file or a list of files",
        ),
        (
            "format_version: '2.0'\ninput_files: a.c\nproperties:\n  - expected_verdict: true",
            "folder/t.yml: a property without property_file",
        ),
        (
            "format_version: '2.0'\ninput_files: a.c\nproperties:\n  - property_file: p\n    expected_verdict: maybe",
            "folder/t.yml: expected_verdict of p: expected true or false",
        ),
        (
            "format_version: '2.0'\ninput_files: a.c\noptions: {data_model: LLP64}",
            "folder/t.yml: data_model LLP64 is not known: expected ILP32 or LP64",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(task(text), Err(expected.to_string()));
    }
}

#[test]
fn values_are_literals_of_their_types() {
    let literal = |name: &str, bytes: &[u8]| type_of_input(name).map(|t| t.literal(bytes));
    let cases: [(&str, &[u8], &str); 12] = [
        ("nondet_int", &[0xff; 4], "-1"),
        ("nondet_int_12", &[0, 0, 0, 0x80], "-2147483648"),
        ("nondet_uint", &[0xff; 4], "4294967295"),
        ("nondet_char", &[0x80], "-128"),
        ("nondet_uchar_3", &[0x80], "128"),
        ("nondet_unsigned_char", &[7], "7"),
        ("nondet_bool", &[1], "1"),
        (
            "nondet_long",
            &[0, 0, 0, 0, 0, 0, 0, 0x80],
            "-9223372036854775808",
        ),
        ("nondet_ulonglong", &[0xff; 8], "18446744073709551615"),
        ("nondet_u8", &[200], "200"),
        ("nondet_float", &[0, 0, 0xc0, 0x3f], "1.5f"),
        ("nondet_double", &[0, 0, 0, 0, 0, 0, 0xf0, 0xbf], "-1.0"),
    ];
    for (name, bytes, expected) in cases {
        assert_eq!(literal(name, bytes).as_deref(), Some(expected), "{name}");
    }
    assert_eq!(type_of_input("nondet_u8"), Some(NondetType::Unsigned(8)));
    for other in [
        "x",
        "nondet_",
        "nondet_thing",
        "nondet_int_",
        "nondet_int_x",
    ] {
        assert_eq!(type_of_input(other), None, "{other}");
    }
}

#[test]
fn places_behind_line_markers_are_found() {
    let text = "# 1 \"a.c\"\n# 1 \"/usr/include/h.h\" 1\nint f(void);\n# 5 \"a.c\" 2\nint main(void) {\n  int x = g(\n    f(1, (2)));\n}\n";
    let source = SourceText::new(text);
    assert_eq!(source.line("a.c", 6, true), Some(6));
    assert_eq!(source.line("/home/me/a.c", 5, true), Some(5));
    assert_eq!(source.line("/usr/include/h.h", 1, false), Some(3));
    assert_eq!(source.line("a.c", 99, true), None);
    assert_eq!(source.end_of_call(6, 11, "g"), Some((7, 14)));
    assert_eq!(source.end_of_call(7, 1, "f"), Some((7, 13)));
    assert_eq!(source.end_of_call(5, 1, "h"), None);
    let plain = SourceText::new("int a;\nint b;\n");
    assert_eq!(plain.line("x/a.c", 2, true), Some(2));
    assert_eq!(plain.line("x/other.h", 2, false), None);
    assert_eq!(plain.line("x/a.c", 3, true), None);
}

#[test]
fn a_witness_has_its_form() {
    let metadata = WitnessMetadata {
        version: "0.1.0",
        created: UNIX_EPOCH + Duration::from_secs(86_400),
        file: "a \"b\".c",
        source: b"int main(void) { return 0; }\n",
        specification: "CHECK( init(main()), LTL(G ! overflow) )",
        data_model: DataModel::Lp64,
    };
    let content = WitnessContent::Violation {
        returned: vec![ReturnedInput {
            at: WitnessPosition {
                line: 3,
                column: Some(7),
                function: Some("main".to_string()),
            },
            value: "-5".to_string(),
        }],
        target: WitnessPosition {
            line: 4,
            column: None,
            function: None,
        },
    };
    let text = witness(&metadata, &content);
    let (before, rest) = text.split_once("    uuid: \"").expect("it has one");
    let (uuid, behind) = rest.split_once("\"\n").expect("it ends");
    assert_eq!(uuid.len(), 36);
    assert_eq!(
        before,
        "- entry_type: \"violation_sequence\"\n  metadata:\n    format_version: \"2.0\"\n"
    );
    let expected = r#"    creation_time: "1970-01-02T00:00:00Z"
    producer:
      name: "Cairn"
      version: "0.1.0"
    task:
      input_files:
        - "a \"b\".c"
      input_file_hashes:
        "a \"b\".c": "de23adc45efe5a4a9f13e95da44ee38e9fcd5f9c4dbfbb1f6e5f34a9ba1c8a7f"
      specification: "CHECK( init(main()), LTL(G ! overflow) )"
      data_model: "LP64"
      language: "C"
  content:
    - segment:
        - waypoint:
            type: "function_return"
            action: "follow"
            constraint:
              value: "\\result == -5"
              format: "acsl_expression"
            location:
              file_name: "a \"b\".c"
              line: 3
              column: 7
              function: "main"
    - segment:
        - waypoint:
            type: "target"
            action: "follow"
            location:
              file_name: "a \"b\".c"
              line: 4
"#;
    let hash = cairn_verify::sha256(metadata.source);
    let expected = expected.replace(
        "de23adc45efe5a4a9f13e95da44ee38e9fcd5f9c4dbfbb1f6e5f34a9ba1c8a7f",
        &hash,
    );
    assert_eq!(behind, expected);
    let correct = witness(&metadata, &WitnessContent::Correctness);
    assert!(correct.ends_with("  content: []\n"), "{correct}");
}

#[test]
fn the_hash_is_the_one_of_the_standard() {
    let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    assert_eq!(cairn_verify::sha256(b""), empty);
}
