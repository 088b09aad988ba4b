"""Tests of the C scanner on forms that real tasks use."""

import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.environ.get("CHECK_TOOLS", os.path.dirname(HERE)))
import csource

TEXT = """\
extern void __assert_fail (const char *a, const char *b) __attribute__ ((__noreturn__));
void reach_error() { ((void) sizeof ((0) ? 1 : 0), __extension__ ({ if (0) ; else __assert_fail ("0", "x"); })); }
struct s { int (*f)(int); };
int old(a, b) int a; char *b; { for (int z = g(a); z < 3; z++) ; return a = 5; }
int attr(void) __attribute__((noinline)) { return 1; }
int main() {
  struct s v = { old };
  int j = v.f(3), k = (*v.f)(4); /* f() */
  do { j--; } while (j > attr());
  char *t = "a(b)"; char c = ')';
  if (j) { ERROR: {reach_error();} } else attr();
  int f(void);
  j = (int)(k) ? attr() : old(attr(),
    2);
}
"""


class Scanner(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.c")
            with open(path, "w", encoding="utf-8") as handle:
                handle.write(TEXT)
            cls.source = csource.Source(path)

    def places(self, holds):
        source = self.source
        return [source.position(offset) for index, (_, offset) in enumerate(source.tokens) if holds(index)]

    def test_functions(self):
        self.assertEqual([name for name, *_ in self.source.functions], ["reach_error", "old", "attr", "main"])

    def test_calls(self):
        found = [(self.source.position(offset), name) for offset, name in sorted(self.source.calls.items())]
        self.assertEqual(found, [
            ((2, 106), "__assert_fail"), ((4, 49), "g"), ((8, 16), ""), ((8, 31), ""), ((9, 31), "attr"),
            ((11, 32), "reach_error"), ((11, 48), "attr"), ((13, 23), "attr"), ((13, 36), "attr"), ((14, 6), "old")])

    def test_statements(self):
        found = self.places(self.source.starts_statement)
        for place in ((11, 3), (11, 12), (11, 19), (11, 20), (11, 43), (13, 3)):
            self.assertIn(place, found)
        for place in ((7, 1), (11, 14), (13, 18), (14, 5)):
            self.assertNotIn(place, found)
        self.assertEqual(self.source.statement_lines(self.source.offset(13, 3)), (13, 14))

    def test_expressions(self):
        found = self.places(self.source.starts_expression)
        for place in ((4, 46), (4, 52), (4, 59), (4, 73), (7, 18), (8, 11), (9, 22), (11, 7)):
            self.assertIn(place, found)
        for place in ((4, 77), (8, 19), (8, 15), (13, 7), (14, 5)):
            self.assertNotIn(place, found)

    def test_loops(self):
        self.assertEqual(self.places(self.source.is_loop_keyword), [(4, 33), (9, 3)])

    def test_constants(self):
        for text, value in (
                ("-2147483648", -2147483648), ("0x1F", 31), ("017", 15), ("10UL", 10), ("'a'", 97), ("'\\n'", 10),
                ("'\\xff'", -1), ("(-2147483647 - 1)", -2147483648), ("~0", -1), ("0x1.8p3", 12.0), ("1e3", 1000.0),
                ("0.5f", 0.5), ("-7 / 2", -3), ("1.0 / 0.0", float("inf"))):
            with self.subTest(text=text):
                self.assertEqual(csource.constant(text), value)
        for text in ("", "08", "x", "1 +", "(1", "1 2", "1 / 0", "5q"):
            with self.subTest(text=text):
                self.assertRaises(csource.NotConstant, csource.constant, text)

    def test_types(self):
        kinds = csource.named_types("ILP32")
        self.assertEqual(kinds["long"], csource.integer(32, True))
        self.assertEqual(csource.type_of_call("attr", self.source, "LP64"), csource.integer(32, True))
        self.assertIsNone(csource.type_of_call("g", self.source, "LP64"))
        self.assertIsNotNone(csource.misfit(256, csource.named_types("LP64")["uchar"]))
        self.assertIsNotNone(csource.misfit(10 ** 400, ("float", 64)))
        self.assertIsNone(csource.misfit(float("nan"), ("float", 64)))


if __name__ == "__main__":
    unittest.main()
