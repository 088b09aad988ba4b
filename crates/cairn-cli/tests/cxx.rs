//! C++ with the standard library on musl: exceptions, containers, streams, without a flag.

mod support;

use std::path::PathBuf;
use std::process::{Command, Output};
use support::{cairn_in, root};

/// A folder for a test with its program.
fn folder(name: &str, program: &str) -> PathBuf {
    let library = root().join(".deps/libcxx/libcxx.bca");
    assert!(library.is_file(), "libc++ is not set up: run ./setup");
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("cxx-{name}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).expect("the folder is writable");
    std::fs::write(path.join("p.cc"), program).expect("writable");
    path
}

fn text(output: &Output) -> String {
    let all = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&all).into_owned()
}

const EXCEPTIONS: &str = r#"
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

struct Base { int number; virtual ~Base() {} };
struct Other { virtual ~Other() {} int more = 7; };
struct Both : Other, Base {};
struct Noisy { const char *name; ~Noisy() { std::printf("~%s ", name); } };

static int thrower(int how) {
  Noisy inner{"inner"};
  switch (how) {
  case 1: throw 5;
  case 2: { Both both; both.number = 11; throw both; }
  case 3: throw std::runtime_error("three");
  case 4: { std::vector<int> v(3); return v.at(7); }
  case 5: throw "text";
  case 6: return std::stoi("x");
  }
  return how;
}

static int between(int how) {
  Noisy outer{"outer"};
  try {
    return thrower(how);
  } catch (const char *) {
    std::printf("again ");
    throw;
  }
}

int main() {
  for (int how = 0; how < 7; how++) {
    try {
      std::printf("got %d\n", between(how));
    } catch (int number) {
      std::printf("int %d\n", number);
    } catch (Base &base) {
      std::printf("base %d %d\n", base.number, dynamic_cast<Other &>(base).more);
    } catch (const std::logic_error &) {
      std::printf("logic\n");
    } catch (const std::exception &e) {
      std::printf("%s\n", e.what());
    } catch (...) {
      std::printf("else\n");
    }
  }
  try {
    try { throw 1; } catch (int) { throw std::string("nested"); }
  } catch (std::string &s) {
    std::printf("%s %d\n", s.c_str(), std::uncaught_exceptions());
  }
}
"#;

#[test]
fn exceptions_unwind_and_are_caught_by_type() {
    let here = folder("exceptions", EXCEPTIONS);
    let run = cairn_in(&here, &["run", "--concrete", "p.cc"]);
    let expected = "~inner ~outer got 0\n~inner ~outer int 5\n~inner ~outer base 11 7\n\
                    ~inner ~outer three\n~inner ~outer logic\n~inner again ~outer else\n\
                    ~inner ~outer logic\nnested 0\n";
    assert_eq!(text(&run), expected);
    assert_eq!(run.status.code(), Some(0));
}

const CONTAINERS: &str = r#"
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

int main() {
  std::map<std::string, int> ages{{"b", 2}, {"a", 1}};
  ages["c"] = 3;
  std::vector<int> v{3, 1, 2};
  std::sort(v.begin(), v.end());
  std::unordered_map<int, std::string> names;
  for (int i = 0; i < 40; i++)
    names[i] = std::to_string(i * i);
  std::set<char> letters;
  for (char c : std::string("hello"))
    letters.insert(c);
  auto shared = std::make_shared<std::optional<double>>(2.5);
  std::ostringstream out;
  for (auto &[name, age] : ages)
    out << name << age << ' ';
  std::cout << out.str() << v[0] << v[2] << ' ' << names[12] << ' ' << letters.size() << ' '
            << **shared << std::endl;
}
"#;

#[test]
fn containers_and_streams_work() {
    let here = folder("containers", CONTAINERS);
    let run = cairn_in(&here, &["run", "--concrete", "p.cc"]);
    assert_eq!(text(&run), "a1 b2 c3 13 144 4 2.5\n");
    assert_eq!(run.status.code(), Some(0));
}

const EXPLORED: &str = r#"
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

static int value(const std::string &text) {
  std::vector<int> table{1, 2, 3};
  if (text.empty())
    throw std::invalid_argument("empty");
  return table.at(text[0] - '0');
}

int main(int argc, char **argv) {
  try {
    std::printf("%d\n", value(argv[1]));
  } catch (const std::invalid_argument &) {
    return 2;
  }
}
"#;

#[test]
fn paths_go_by_exceptions_and_an_uncaught_one_is_an_error() {
    let here = folder("explored", EXPLORED);
    let run = cairn_in(&here, &["run", "--self-check", "p.cc", "--sym-arg", "1"]);
    let all = text(&run);
    assert_eq!(run.status.code(), Some(1), "{all}");
    // An element of the table; the empty text; an index out of range, whose exception is not caught.
    assert!(
        all.contains("2 paths to the end, 1 in an error, 0 cut short"),
        "{all}"
    );
    assert!(all.contains("(abort)"), "{all}");
    let replay = cairn_in(&here, &["replay", "p.cc", "cairn-last"]);
    assert!(
        text(&replay).contains("3 of 3 tests reached"),
        "{}",
        text(&replay)
    );
}

const THROWN: &str = r#"
#include <stdexcept>

int main(int argc, char **argv) {
  if (argv[1][0] == 'a')
    throw std::runtime_error("a");
  if (argv[1][0] == 'b')
    throw 5;
}
"#;

#[test]
fn exceptions_that_nobody_catches_are_errors_where_they_are_thrown() {
    let here = folder("thrown", THROWN);
    let run = cairn_in(&here, &["run", "--self-check", "p.cc", "--sym-arg", "1"]);
    let all = text(&run);
    assert!(all.contains("p.cc:6: abort failure"), "{all}");
    assert!(all.contains("p.cc:8: abort failure"), "{all}");
    assert!(all.contains("2 in an error, 0 cut short"), "{all}");
}

const BUILT: &str = r#"
#include <iostream>
#include <klee/klee.h>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

static int length(int i) {
  std::vector<std::string> names{"a", "bc"};
  return (int)names.at(i).size();
}

int main() {
  std::map<std::string, int> limits{{"x", 3}};
  int i = klee_range(0, 4, "i");
  try {
    length(i);
    std::cout << "inside " << limits["x"] << std::endl;
  } catch (const std::out_of_range &) {
    std::cout << "outside" << std::endl;
    return 3;
  }
  if (i == 1)
    throw limits;
}
"#;

/// What `cairn c++` builds runs natively and is explored, and both do the same.
#[test]
fn programs_that_the_driver_builds_run_and_are_explored() {
    let here = folder("built", BUILT);
    let square = "int square(int x) { return x * x; }\n";
    std::fs::write(here.join("c.c"), square).expect("writable");
    let built = cairn_in(&here, &["c++", "-O2", "-v", "p.cc", "-o", "p", "-lstdc++"]);
    assert_eq!(built.status.code(), Some(0), "{}", text(&built));
    assert!(
        text(&built).contains("headers and library of C++: "),
        "{}",
        text(&built)
    );
    let run = cairn_in(&here, &["run", "--self-check", "./p"]);
    let all = text(&run);
    assert!(
        all.contains("2 paths to the end, 1 in an error, 0 cut short"),
        "{all}"
    );
    let replay = cairn_in(&here, &["replay", "./p", "cairn-last"]);
    assert!(
        text(&replay).contains("3 of 3 tests reached"),
        "{}",
        text(&replay)
    );
    // Objects of both languages go together.
    let main = "extern \"C\" int square(int);\n#include <string>\n\
                int main() { return square((int)std::string(\"abc\").size()); }\n";
    std::fs::write(here.join("m.cc"), main).expect("writable");
    for arguments in [
        &["cc", "-c", "c.c"][..],
        &["c++", "-c", "m.cc"],
        &["c++", "c.o", "m.o", "-o", "m"],
    ] {
        let built = cairn_in(&here, arguments);
        assert_eq!(built.status.code(), Some(0), "{}", text(&built));
        assert_eq!(text(&built), "");
    }
    let native = Command::new(here.join("m")).status().expect("it runs");
    assert_eq!(native.code(), Some(9));
    let concrete = cairn_in(&here, &["run", "--concrete", "./m"]);
    assert_eq!(concrete.status.code(), Some(9), "{}", text(&concrete));
}

/// Without headers of the library nothing of it is linked, and counts are as they were.
#[test]
fn a_program_that_needs_nothing_of_it_is_not_linked() {
    let source = "struct A { virtual ~A() {} virtual int f() { return 1; } };\n\
                  int main() { A *a = new A; int r = a->f(); delete a; return r; }\n";
    let here = folder("nothing", source);
    let run = cairn_in(&here, &["run", "--json", "p.cc"]);
    assert!(text(&run).contains("\"libc\": \"none\""), "{}", text(&run));
}

/// Bitcode for another C++ library cannot be completed, and a sentence says so.
#[test]
fn bitcode_for_another_library_is_told_of() {
    let here = folder("other", CONTAINERS);
    let compiled = Command::new("clang++-19")
        .args(["-g", "-emit-llvm", "-c", "p.cc", "-o", "p.bc"])
        .current_dir(&here)
        .output()
        .expect("clang is there");
    assert!(compiled.status.success(), "{}", text(&compiled));
    let run = cairn_in(&here, &["run", "p.bc"]);
    let said = text(&run);
    let sentence = "compiled with the headers of another C++ library than libc++";
    assert!(said.contains(sentence), "{said}");
    assert_eq!(said.matches("warning").count(), 1, "{said}");
}

#[test]
fn a_symbolic_number_goes_through_a_stream() {
    let here = folder(
        "number",
        "#include <iostream>\n#include <klee/klee.h>\nint main() {\n  int x;\n  \
         klee_make_symbolic(&x, sizeof x, \"x\");\n  std::cout << x;\n}\n",
    );
    let output = cairn_in(&here, &["run", "p.cc", "--max-time", "60s"]);
    let said = text(&output);
    assert!(
        said.contains("21 paths to the end, 0 in an error, 0 cut short"),
        "{said}"
    );
}
