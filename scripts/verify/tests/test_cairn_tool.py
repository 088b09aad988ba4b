"""Tests of the BenchExec tool-info module. They need BenchExec and are skipped without it."""

import os
import stat
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.environ.get("CHECK_TOOLS", os.path.dirname(HERE)))
try:
    import benchexec.result as result
    from benchexec.tools.template import BaseTool2, UnsupportedFeatureException
    from benchexec.util import ProcessExitCode
    import cairn
except ImportError as error:
    raise unittest.SkipTest("BenchExec is not installed") from error


def run(text, code=None, signal=None, reason=None):
    exit_code = ProcessExitCode.create(value=code) if signal is None else ProcessExitCode.create(signal=signal)
    output = BaseTool2.RunOutput([line + "\n" for line in text.split("\n")])
    return cairn.Tool().determine_result(BaseTool2.Run(["cairn"], exit_code, output, reason))


class Results(unittest.TestCase):
    def test_verdicts(self):
        for text, code, expected in (
                ("note\nTRUE", 0, result.RESULT_TRUE_PROP),
                ("DONE\ntests: 3", 0, result.RESULT_DONE),
                ("FALSE(unreach-call)", 1, result.RESULT_FALSE_REACH),
                ("FALSE(valid-deref)", 1, result.RESULT_FALSE_DEREF),
                ("FALSE(valid-free)", 1, result.RESULT_FALSE_FREE),
                ("FALSE(valid-memtrack)", 1, result.RESULT_FALSE_MEMTRACK),
                ("FALSE(valid-memcleanup)", 1, result.RESULT_FALSE_MEMCLEANUP),
                ("FALSE(no-overflow)", 1, result.RESULT_FALSE_OVERFLOW),
                ("FALSE(termination)", 1, result.RESULT_FALSE_TERMINATION),
                ("UNKNOWN (time limit)", 2, result.RESULT_UNKNOWN),
                ("UNKNOWN", 2, result.RESULT_UNKNOWN)):
            with self.subTest(text=text):
                self.assertEqual(run(text, code), expected)

    def test_errors(self):
        for text, code, expected in (
                ("usage: cairn verify\nerror: no such option", 64, "ERROR (usage: no such option)"),
                ("cairn: a.c:3: not C", 65, "ERROR (input: a.c:3: not C)"),
                ("panic\nTRUE", 70, "ERROR (internal: TRUE)"),
                ("", 70, "ERROR (internal)"),
                ("TRUE", 1, "ERROR (exit code 1 after TRUE)"),
                ("FALSE(colour)", 1, "ERROR (unknown property colour)"),
                ("the result is TRUE", 0, "ERROR (no verdict, exit code 0)")):
            with self.subTest(text=text):
                self.assertEqual(run(text, code), expected)
        self.assertEqual(run("TRUE", signal=11), "ERROR (signal 11)")
        self.assertEqual(run("", signal=9, reason="cputime"), result.RESULT_TIMEOUT)

    def test_reason(self):
        output = BaseTool2.RunOutput(["paths: 12\n", "UNKNOWN (float to string)\n"])
        self.assertEqual(cairn.Tool().get_value_from_output(output, "reason"), "float to string")
        self.assertEqual(cairn.Tool().get_value_from_output(output, "paths"), "12")
        self.assertIsNone(cairn.Tool().get_value_from_output(output, "tests"))


class CommandLine(unittest.TestCase):
    def cmdline(self, options, cputime=None, given=(), prop="p.prp"):
        task = BaseTool2.Task.with_files(["a.c"], property_file=prop, options=options)
        return cairn.Tool().cmdline("cairn", list(given), task, BaseTool2.ResourceLimits(cputime=cputime))

    def test_cmdline(self):
        self.assertEqual(
            self.cmdline({"language": "C", "data_model": "ILP32"}, 60, ["--quiet"]),
            ["cairn", "verify", "a.c", "--property", "p.prp", "--data-model", "ILP32", "--max-time", "60", "--quiet"])
        self.assertEqual(self.cmdline(None, prop=None), ["cairn", "verify", "a.c"])
        self.assertEqual(self.cmdline(None, 60, ["--max-time", "5"], None),
                         ["cairn", "verify", "a.c", "--max-time", "5"])
        with self.assertRaises(UnsupportedFeatureException):
            self.cmdline({"language": "C", "data_model": "LLP64"})

    def test_version(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cairn")
            with open(path, "w", encoding="ascii") as handle:
                handle.write("#!/bin/sh\necho cairn 1.2.3\n")
            os.chmod(path, stat.S_IRWXU)
            self.assertEqual(cairn.Tool().version(path), "1.2.3")
            locator = BaseTool2.ToolLocator(tool_directory=folder)
            self.assertEqual(os.path.realpath(cairn.Tool().executable(locator)), os.path.realpath(path))


if __name__ == "__main__":
    unittest.main()
