"""Tests of check-suite.py: valid suites, and invalid ones with one fault each."""

import hashlib
import importlib.util
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TOOLS = os.environ.get("CHECK_TOOLS", os.path.dirname(HERE))
sys.path.insert(0, TOOLS)
SPEC = importlib.util.spec_from_file_location("check_suite", os.path.join(TOOLS, "check-suite.py"))
check_suite = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(check_suite)

GOAL = "COVER( init(main()), FQL(COVER EDGES(@CALL(reach_error))) )"
PROGRAM = """\
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);
int main(void) {
  if (__VERIFIER_nondet_int() == -3 && __VERIFIER_nondet_uchar() == 'a')
    if (__VERIFIER_nondet_double() == 0.1) reach_error();
  return 0;
}
"""
HEAD = ('<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n'
        '<!DOCTYPE %s PUBLIC "+//IDN sosy-lab.org//DTD test-format %s 1.1//EN" '
        '"https://sosy-lab.org/test-format/%s-1.1.dtd">\n')
METADATA = HEAD % (("test-metadata",) * 3) + """\
<test-metadata>
  <sourcecodelang>C</sourcecodelang>
  <producer>hand</producer>
  <specification>%s</specification>
  <programfile>dir/task.c</programfile>
  <programhash>%s</programhash>
  <entryfunction>main</entryfunction>
  <architecture>64bit</architecture>
  <creationtime>2024-06-14T15:35:00Z</creationtime>
</test-metadata>
""" % (GOAL, hashlib.sha256(PROGRAM.encode()).hexdigest())
REACHING = HEAD % (("testcase",) * 3) + """\
<testcase coversError="true">
  <input type="int">-3</input>
  <input type="unsigned char" variable="c">'a'</input>
  <input type="double">0.1</input>
</testcase>
"""
EMPTY = HEAD % (("testcase",) * 3) + "<testcase/>\n"


class Suite(unittest.TestCase):
    def check(self, metadata=METADATA, tests=(REACHING, EMPTY), **more):
        with tempfile.TemporaryDirectory() as folder:
            files = {"task.c": PROGRAM}
            suite = os.path.join(folder, "suite")
            os.mkdir(suite)
            if metadata is not None:
                files["suite/metadata.xml"] = metadata
            files.update(("suite/test-%d.xml" % number, text) for number, text in enumerate(tests, 1))
            for name, text in files.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as handle:
                    handle.write(text)
            return check_suite.check_folder(suite, os.path.join(folder, "task.c"), **more)

    def invalid(self, expected, **more):
        faults, _ = self.check(**more)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(expected, faults[0])

    def test_valid(self):
        self.assertEqual(self.check(property_text=GOAL), ([], []))

    def test_native(self):
        faults, notes = self.check(native=True)
        self.assertEqual(faults, [])
        self.assertEqual(notes, ["native: 1 of 2 tests reach reach_error."])

    def test_native_wrong_claim(self):
        self.invalid("does not reach reach_error", tests=[REACHING.replace("-3", "-4")], native=True)

    def test_native_wrong_type(self):
        test = REACHING.replace("'a'", "353").replace(' type="unsigned char"', "").replace(' coversError="true"', "")
        self.invalid("outside the range 0 .. 255", tests=[test], native=True)

    def test_metadata(self):
        for old, new, expected in (
                ("<producer>hand</producer>", "", "<producer> must be given once"),
                ("<sourcecodelang>C</sourcecodelang>\n  <producer>hand</producer>",
                 "<producer>hand</producer><sourcecodelang>C</sourcecodelang>", "not in the order"),
                ("</test-metadata>", "<colour/></test-metadata>", "<colour> is not part"),
                ("64bit", "32bit", "the data model is LP64"),
                ("dir/task.c", "dir/other.c", "<programfile>"),
                (">main<", ">start<", "does not define"),
                ("2024-06-14T15:35:00Z", "yesterday", "not a date and time"),
                ("<programhash>", "<programhash>0", "not the SHA-256 hash"),
                (">C<", ">C++<", "must be C"),
                ("test-metadata 1.1", "test-metadata 1.0", "the document type must be"),
                ("<producer>", '<producer by="me">', "no attribute `by`")):
            with self.subTest(expected=expected):
                self.invalid(expected, metadata=METADATA.replace(old, new))
        self.invalid("but the property is", property_text=GOAL.replace("reach_error", "other"))
        self.invalid("metadata.xml is missing", metadata=None)

    def test_optional_metadata(self):
        more = "<inputtestsuitefile>a</inputtestsuitefile><inputtestsuitehash>b</inputtestsuitehash><creationtime>"
        self.assertEqual(self.check(metadata=METADATA.replace("<creationtime>", more)), ([], []))

    def test_tests(self):
        for old, new, expected in (
                ('"true"', '"yes"', "`coversError` is"),
                (">-3<", ">three<", "not a C constant"),
                (">-3<", "><", "not a C constant"),
                (">-3<", ">-3000000000<", "outside the range"),
                (">0.1<", ">0x<", "not a C constant"),
                ("<input type=\"int\">-3</input>", "<output>-3</output>", "<output> is not part"),
                ("variable=", "name=", "no attribute `name`"),
                ("</testcase>", "text</testcase>", "not text"),
                ("</testcase>", "", "not well-formed")):
            with self.subTest(expected=expected):
                self.invalid(expected, tests=[REACHING.replace(old, new)])
        self.invalid("declaration is missing", tests=[EMPTY[EMPTY.index("<testcase"):]])
        self.invalid("the root element is <testsuite>", tests=[EMPTY.replace("<testcase/>", "<testsuite/>")])


if __name__ == "__main__":
    unittest.main()
