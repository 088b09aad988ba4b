"""Tests of check-witness.py: valid witnesses, and invalid ones with one fault each."""

import copy
import hashlib
import importlib.util
import os
import sys
import tempfile
import unittest

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.environ.get("CHECK_TOOLS", os.path.dirname(HERE))
sys.path.insert(0, TOOLS)
SPEC = importlib.util.spec_from_file_location("check_witness", os.path.join(TOOLS, "check-witness.py"))
check_witness = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_witness)

REACH = "CHECK( init(main()), LTL(G ! call(reach_error())) )"
OVERFLOW = "CHECK( init(main()), LTL(G ! overflow) )"
MEMORY = "".join("CHECK( init(main()), LTL(G valid-%s) )\n" % part for part in ("free", "deref", "memtrack"))
CLEANUP = "CHECK( init(main()), LTL(G valid-memcleanup) )"

PROGRAM = """\
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void abort(void);
void reach_error() { abort(); }
int main(void) {
  int a = __VERIFIER_nondet_int();
  unsigned char b = __VERIFIER_nondet_uchar(), c = __VERIFIER_nondet_uchar(); /* f() */
  if (a == -2147483647 - 1)
    if (b == 200 && c == 7) {
      int i = 0;
      while (i < 3) i++;
      switch (i) { case 3: reach_error(); }
    }
  return a > 0 ? 1 : 2;
}
"""


def column(program, line, text, which=1):
    """The column of the last character of the which-th occurrence of a text in a line."""
    place = -1
    for _ in range(which):
        place = program.split("\n")[line - 1].index(text, place + 1)
    return place + len(text)


def waypoint(kind, line, col=None, value=None, form=None, action="follow", function=None):
    location = {"file_name": "task.c", "line": line}
    if col is not None:
        location["column"] = col
    if function is not None:
        location["function"] = function
    result = {"type": kind, "action": action, "location": location}
    if value is not None:
        result["constraint"] = {"value": value}
        if form is not None:
            result["constraint"]["format"] = form
    return result


def returned(line, col, value, **more):
    return waypoint("function_return", line, col, "\\result == %s" % value, "acsl_expression", **more)


def segments(*waypoints):
    return [{"segment": [{"waypoint": w}]} for w in waypoints]


def witness(program, content, specification=REACH, kind="violation_sequence"):
    return [{
        "entry_type": kind,
        "metadata": {
            "format_version": "2.0",
            "uuid": "4412af70-389a-475e-849c-e57e5b92019e",
            "creation_time": "2024-06-14T15:35:00+03:00",
            "producer": {"name": "hand", "version": "1"},
            "task": {
                "input_files": ["task.c"],
                "input_file_hashes": {"task.c": hashlib.sha256(program.encode()).hexdigest()},
                "specification": specification, "data_model": "LP64", "language": "C"}},
        "content": content}]


class Case(unittest.TestCase):
    program = PROGRAM
    name = "task.c"

    def check(self, document, specification=REACH, native=False, data_model="LP64"):
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, name) for name in (self.name, "witness.yml")]
            with open(paths[0], "w", encoding="utf-8") as handle:
                handle.write(self.program)
            with open(paths[1], "w", encoding="utf-8") as handle:
                handle.write(document if isinstance(document, str) else yaml.safe_dump(document))
            return check_witness.check_file(paths[1], paths[0], specification, data_model, native)

    def valid(self, document, specification=REACH, **more):
        faults, notes = self.check(document, specification, **more)
        self.assertEqual(faults, [])
        return notes

    def invalid(self, document, expected, specification=REACH, **more):
        """Exactly one fault, with this text in it."""
        faults, _ = self.check(document, specification, **more)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(expected, faults[0])


class Violation(Case):
    a = column(PROGRAM, 6, "()")
    b = column(PROGRAM, 7, "()")
    c = column(PROGRAM, 7, "()", 2)
    target = column(PROGRAM, 12, "case 3: r")

    def document(self):
        return witness(self.program, segments(
            returned(6, self.a, "-2147483648", function="main"), returned(7, self.b, "200"), returned(7, self.c, "7"),
            waypoint("target", 12, self.target, function="main")))

    def changed(self, change):
        document = copy.deepcopy(self.document())
        change(document)
        return document

    def waypoint_changed(self, number, change):
        return self.changed(lambda d: change(d[0]["content"][number]["segment"][0]["waypoint"]))

    def test_valid(self):
        self.assertEqual(self.valid(self.document()), [])

    def test_valid_other_types(self):
        avoid = waypoint("branching", 9, column(self.program, 9, "i"), "false", action="avoid")
        content = segments(
            waypoint("function_enter", 6, self.a),
            waypoint("assumption", 8, 3, "a < 0", "c_expression"),
            waypoint("branching", 8, 3, "true"),
            waypoint("branching", 11, None, "true"),
            waypoint("branching", 12, 7, "3"),
            waypoint("target", 12, self.target))
        content[2]["segment"].insert(0, {"waypoint": avoid})
        self.valid(witness(self.program, content))

    def test_missing_column_is_the_leftmost_call(self):
        document = self.document()
        for number in (0, 1):
            del document[0]["content"][number]["segment"][0]["waypoint"]["location"]["column"]
        self.valid(document)

    def test_plain_time_and_relations(self):
        text = yaml.safe_dump(self.document()).replace("'2024-06-14T15:35:00+03:00'", "2024-06-14T15:35:00Z")
        self.valid(text.replace("result == 200", "result >= 200"))

    def test_not_yaml(self):
        self.invalid("a: [", "not YAML")

    def test_repeated_key(self):
        self.invalid(yaml.safe_dump(self.document()).replace("  metadata:", "  metadata: 1\n  metadata:"), "twice")

    def test_metadata(self):
        for path, value, expected in (
                ("format_version", 2.0, "must be a string"),
                ("format_version", "1.0", "must be '2.0'"),
                ("uuid", "abc", "not a UUID"),
                ("creation_time", "2024-06-14T15:35:00", "with a zone"),
                ("creation_time", "2024-02-30T15:35:00Z", "not a date"),
                ("producer", {"name": "hand"}, "`version` is missing"),
                ("producer", {"name": "hand", "version": "1", "colour": "red"}, "not part of the format"),
                ("language", "C", "not part of the format")):
            with self.subTest(path=path, value=value):
                self.invalid(self.changed(lambda d: d[0]["metadata"].update({path: value})), expected)

    def test_task(self):
        for key, value, expected in (
                ("input_files", ["task.c", "other.c"], "other.c"),
                ("input_file_hashes", {"task.c": "0" * 64}, "not the SHA-256 hash"),
                ("input_file_hashes", {"task.c": "0" * 40}, "64 hexadecimal"),
                ("input_file_hashes", {}, "hash of task.c is missing"),
                ("specification", OVERFLOW, "but the property is"),
                ("data_model", "LLP64", "must be ILP32 or LP64"),
                ("data_model", "ILP32", "the task uses LP64"),
                ("language", "C++", "must be C")):
            with self.subTest(key=key, value=value):
                document = self.changed(lambda d: d[0]["metadata"]["task"].update({key: value}))
                faults, _ = self.check(document)
                self.assertTrue(any(expected in fault for fault in faults), faults)
                self.assertLessEqual(len(faults), 2)

    def test_structure(self):
        def content(change):
            return self.changed(lambda d: change(d[0]["content"]))
        target = {"waypoint": waypoint("target", 12, self.target)}
        for document, expected in (
                (self.changed(lambda d: d.append(self.document()[0])), "has one entry"),
                (content(lambda c: c.pop()), "must have type `target`"),
                (content(lambda c: c.insert(0, {"segment": [target]})), "must be the last waypoint"),
                (content(lambda c: c[0].update({"segment": []})), "one or more waypoints"),
                (content(lambda c: c.insert(0, {"cycle": []})), "`cycle` is not part"),
                (content(lambda c: c[0]["segment"].append(c[1]["segment"][0])), "only the last waypoint"),
                (self.changed(lambda d: d[0].update({"content": []})), "one or more segments"),
                (self.changed(lambda d: d[0].update({"entry_type": "loop_invariant"})), "`entry_type`")):
            with self.subTest(expected=expected):
                faults, _ = self.check(document)
                self.assertTrue(any(expected in fault for fault in faults), faults)

    def test_waypoint(self):
        for number, update, expected in (
                (0, {"action": "avoid"}, "must have the action `follow`"),
                (0, {"action": "go"}, "`follow` or `avoid`"),
                (0, {"type": "function_exit"}, "must be one of"),
                (3, {"action": "avoid"}, "a `target` must have"),
                (3, {"constraint": {"value": "1"}}, "has no `constraint`"),
                (0, {"thread_id": 0}, "not part of the format")):
            with self.subTest(expected=expected):
                self.invalid(self.waypoint_changed(number, lambda w: w.update(update)), expected)

    def test_missing_parts(self):
        for number, key in ((0, "action"), (0, "location"), (0, "constraint"), (3, "type")):
            with self.subTest(key=key):
                faults, _ = self.check(self.waypoint_changed(number, lambda w: w.pop(key)))
                self.assertIn("`%s`" % key, faults[0])

    def test_constraint(self):
        for update, expected in (
                ({"format": "c_expression"}, "must be `acsl_expression`"),
                ({"value": "a == 3"}, "does not have the form"),
                ({"value": "\\result == a"}, "not a constant"),
                ({"value": "\\result == 3000000000"}, "outside the range"),
                ({"value": "\\result == 1.5"}, "floating-point constant"),
                ({"value": 5}, "must be a string")):
            with self.subTest(expected=expected):
                self.invalid(self.waypoint_changed(0, lambda w: w["constraint"].update(update)), expected)
        self.invalid(self.waypoint_changed(1, lambda w: w["constraint"].update({"value": "\\result == -56"})),
                     "outside the range 0 .. 255")

    def test_branching(self):
        for line, col, value, form, expected in (
                (8, 3, "yes", None, "'true' or 'false'"),
                (8, 3, "true", "c_expression", "`format` is not part"),
                (12, 7, "i", None, "an integer or `default`"),
                (10, 7, "true", None, "not a branching keyword"),
                (10, None, "true", None, "no place")):
            with self.subTest(expected=expected):
                document = self.changed(lambda d: d[0]["content"].insert(
                    0, segments(waypoint("branching", line, col, value, form))[0]))
                self.invalid(document, expected)

    def test_location(self):
        for number, update, expected in (
                (0, {"column": self.a - 1}, "not the closing parenthesis"),
                (0, {"column": 11}, "not the closing parenthesis"),
                (0, {"column": 200}, "past the end of line 6"),
                (0, {"column": 0}, "a number from 1 on"),
                (0, {"line": 99}, "past the end of task.c"),
                (0, {"line": 1, "column": 38, "function": None}, "must be a string"),
                (0, {"function": "reach_error"}, "but line 6 is in main"),
                (0, {"file_name": "other.c"}, "not one of the input files"),
                (0, {"offset": 3}, "not part of the format"),
                (1, {"column": column(PROGRAM, 7, "f()")}, "not the closing parenthesis"),
                (3, {"column": self.target + 1}, "not the first character"),
                (3, {"line": 6, "column": 3}, "not the first character"),
                (3, {"line": 4, "column": 6, "function": "reach_error"}, "not the first character")):
            with self.subTest(update=update):
                faults, _ = self.check(self.waypoint_changed(number, lambda w: w["location"].update(update)))
                self.assertTrue(faults and expected in faults[0], faults)

    def test_declaration_is_not_a_call(self):
        document = self.waypoint_changed(0, lambda w: w["location"].update({"line": 1, "column": 38}))
        del document[0]["content"][0]["segment"][0]["waypoint"]["location"]["function"]
        self.invalid(document, "line 1, column 38 is not the closing parenthesis")

    def test_native(self):
        notes = self.valid(self.document(), native=True)
        self.assertIn("reach_error in line 12", notes[0])

    def test_native_wrong_value(self):
        document = self.waypoint_changed(2, lambda w: w["constraint"].update({"value": "\\result == 8"}))
        self.invalid(document, "does not violate", native=True)

    def test_native_wrong_order(self):
        faults, _ = self.check(self.changed(lambda d: d[0]["content"].pop(0)), native=True)
        self.assertIn("nondet call 1 is __VERIFIER_nondet_int in line 6", faults[0])

    def test_native_wrong_target(self):
        document = self.waypoint_changed(3, lambda w: w["location"].update({"line": 11, "column": 7}))
        self.invalid(document, "the target is in line 11", native=True)

    def test_native_too_many_values(self):
        document = self.changed(lambda d: d[0]["content"].insert(3, d[0]["content"][2]))
        self.invalid(document, "has 3 nondet calls", native=True)


class Preprocessed(Case):
    """Lines of a preprocessed file are its own lines, whatever its line markers say."""
    name = "task.i"
    program = """\
# 1 "task.c"
# 1 "/usr/include/assert.h" 1 3
extern void __assert_fail(const char *, const char *, unsigned, const char *);
# 70 "task.c" 2
extern float __VERIFIER_nondet_float();
static void reach_error() { ((void) sizeof ((0) ? 1 : 0), ({ if (0) ; else __assert_fail ("0", "t.c", 3, "f"); })); }
# 90 "task.c"
int main() {
  float f = __VERIFIER_nondet_float();
  if (f * 2.0f == 0x1.99999ap-3f) reach_error();
}
"""

    def document(self, value):
        content = segments(returned(9, column(self.program, 9, "()"), value),
                           waypoint("target", 10, column(self.program, 10, ") r")))
        document = witness(self.program, content)
        return yaml.safe_load(yaml.safe_dump(document).replace("task.c", "task.i"))

    def test_float(self):
        self.valid(self.document("0.1f"), native=True)
        self.valid(self.document("0x1.99999ap-4"), native=True)

    def test_not_exact(self):
        self.invalid(self.document("0.1"), "not exactly a 32-bit")
        self.invalid(self.document("0.0 / 0.0"), "no value is equal")
        self.valid(self.document("-1.0 / 0.0"))


class Overflow(Case):
    program = """\
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int x = __VERIFIER_nondet_int();
  int a = 3 *
    (x - 1);
  return a & 1;
}
"""

    def document(self, value, line=4, col=11):
        return witness(self.program, segments(returned(3, 33, value), waypoint("target", line, col)), OVERFLOW)

    def test_native(self):
        self.assertIn("line 5", self.valid(self.document("-2147483648"), OVERFLOW, native=True)[0])
        self.valid(self.document("-2147483648", col=None), OVERFLOW, native=True)

    def test_no_overflow(self):
        self.invalid(self.document("5"), "does not violate", OVERFLOW, native=True)

    def test_wrong_target(self):
        self.invalid(self.document("-2147483648", 6, 3), "in line 5, but the target is in line 6", OVERFLOW,
                     native=True)


class Memory(Case):
    program = """\
extern int __VERIFIER_nondet_int(void);
void *malloc(unsigned long);
void free(void *);
static int *kept;
int main(void) {
  int n = __VERIFIER_nondet_int();
  int *p = malloc(4 * sizeof *p);
  if (n < 0 || n > 4) return 0;
  p[n] = 1;
  if (n == 2) kept = p;
  else free(p);
  return 0;
}
"""

    def document(self, value, line, text=MEMORY):
        return witness(self.program, segments(returned(6, None, value), waypoint("target", line)), text)

    def test_out_of_bounds(self):
        self.assertIn("line 9", self.valid(self.document("4", 9), MEMORY, native=True)[0])

    def test_leak(self):
        self.assertIn("leaks", self.valid(self.document("-1", 8), MEMORY, native=True)[0])

    def test_kept_is_no_leak_but_not_clean(self):
        self.invalid(self.document("2", 12), "does not violate", MEMORY, native=True)
        self.valid(self.document("2", 12, CLEANUP), CLEANUP, native=True)

    def test_no_fault(self):
        self.invalid(self.document("3", 9), "does not violate", MEMORY, native=True)
        self.invalid(self.document("3", 12, CLEANUP), "does not violate", CLEANUP, native=True)


class Correctness(Case):
    def document(self, **more):
        invariant = {"type": "loop_invariant", "location": {"file_name": "task.c", "line": 11, "column": 7},
                     "value": "i >= 0 && i <= 3", "format": "c_expression"}
        invariant.update(more)
        return witness(self.program, [{"invariant": invariant}], REACH, "invariant_set")

    def test_valid(self):
        self.valid(self.document())
        place = {"file_name": "task.c", "line": 10, "function": "main"}
        self.valid(self.document(type="location_invariant", location=place))
        self.valid(self.document() + [dict(self.document()[0], metadata=dict(
            self.document()[0]["metadata"], uuid="00000000-0000-4000-8000-000000000000"))])

    def test_empty(self):
        self.assertIn("empty", self.valid(witness(self.program, [], REACH, "invariant_set"))[0])

    def test_invalid(self):
        for update, expected in (
                ({"type": "loop"}, "`loop_invariant` or `location_invariant`"),
                ({"format": "C"}, "must be `c_expression`"),
                ({"value": "i = 3"}, "side effect"),
                ({"value": "i++ < 3"}, "side effect"),
                ({"value": "(i"}, "not a C expression"),
                ({"location": {"file_name": "task.c", "line": 10}}, "first keyword of a loop"),
                ({"location": {"file_name": "task.c", "line": 11, "column": 8}}, "first keyword of a loop"),
                ({"type": "location_invariant", "location": {"file_name": "task.c", "line": 4, "column": 1}},
                 "first character of a statement")):
            with self.subTest(expected=expected):
                self.invalid(self.document(**update), expected)


if __name__ == "__main__":
    unittest.main()
