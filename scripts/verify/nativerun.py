"""Compiling a task with gcc and running it on given input values.

CHECK_CC names another compiler. For no-overflow that can matter: gcc folds
some overflows away before its sanitizer sees them, even with -O0, as in
`x + 1 > x` or `(x - 1) + 1`.
"""

import os
import re
import subprocess
import tempfile

import csource

HERE = os.path.dirname(os.path.abspath(__file__))
SANITIZERS = {
    "unreach-call": [],
    "no-overflow": ["-fsanitize=signed-integer-overflow", "-fno-sanitize-recover=all"],
    "memory": ["-fsanitize=address"],
}
LINE_MARKER = re.compile(r"^[ \t]*#[ \t]*(?:line[ \t]+)?\d[^\n]*", re.M)


class NativeError(Exception):
    """The task cannot be compiled or run here."""


class Outcome:
    """What one run did."""

    def __init__(self, status, report, calls, reached, last):
        self.status = status    # exit status, negative for a signal, None for a timeout
        self.report = report    # text on the standard error stream
        self.calls = calls      # [(function name, file name, line)] of the nondet calls, in order
        self.reached = reached  # (file name, line) of the first call of reach_error, or None
        self.last = last        # name of the last event, or None

    def ending(self):
        """How the run ended, as the end of a sentence."""
        if self.status is None:
            return "does not end in time"
        if self.last == "assume":
            return "ends at an assumption that is false"
        if self.last == "abort":
            return "ends at abort"
        return "ends with status %d" % self.status


class Program:
    """A task, compiled for one property. Use as a context manager."""

    def __init__(self, path, kind, data_model="LP64"):
        self.path, self.kind = path, kind
        self.word = ["-m32"] if data_model == "ILP32" else []
        self.folder = tempfile.TemporaryDirectory(prefix="check-")
        self.executable = os.path.join(self.folder.name, "task")
        try:
            self._build()
        except BaseException:
            self.folder.cleanup()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def _build(self):
        extension = ".i" if self.path.endswith(".i") else ".c"
        copy = os.path.join(self.folder.name, os.path.splitext(os.path.basename(self.path))[0] + extension)
        with open(copy, "wb") as handle:
            handle.write(prepared_text(self.path).encode("utf-8", "surrogateescape"))
        # -O0 -g: the call sites keep their lines. Without PIE the logged addresses are those of the file.
        common = ["-O0", "-g", "-w", "-fno-pie", "-fcommon"] + self.word
        parts = [os.path.join(self.folder.name, name) for name in ("task.o", "harness.o")]
        folder = os.path.dirname(os.path.abspath(self.path))
        run_compiler(["-c", copy, "-o", parts[0], "-std=gnu11", "-I", folder] + common + SANITIZERS[self.kind])
        run_compiler(["-c", os.path.join(HERE, "native-harness.c"), "-o", parts[1]] + common)
        run_compiler(parts + ["-o", self.executable, "-no-pie", "-Wl,--wrap=main,--wrap=abort", "-lm", "-lpthread"]
                + self.word + SANITIZERS[self.kind])

    def run(self, values, leaks=False, seconds=10):
        """Runs the task on a list of ints and floats; zeros follow them."""
        log = os.path.join(self.folder.name, "log")
        given = os.path.join(self.folder.name, "values")
        with open(given, "w", encoding="ascii") as handle:
            handle.writelines(value.hex() + "\n" if isinstance(value, float) else "%d\n" % value for value in values)
        if os.path.exists(log):
            os.remove(log)
        environment = dict(
            os.environ, CHECK_VALUES=given, CHECK_LOG=log, CHECK_REACH="1" if self.kind == "unreach-call" else "0",
            ASAN_OPTIONS="detect_leaks=%d:detect_stack_use_after_return=1:allocator_may_return_null=1" % bool(leaks),
            LSAN_OPTIONS=leaks if isinstance(leaks, str) else "")
        try:
            done = subprocess.run([self.executable], env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=seconds, check=False)
            status, report = done.returncode, done.stderr.decode("utf-8", "replace")
        except subprocess.TimeoutExpired:
            status, report = None, ""
        return self._outcome(status, report, log)

    def _outcome(self, status, report, log):
        events = []
        if os.path.exists(log):
            with open(log, encoding="ascii") as handle:
                events = [line.split() for line in handle]
        places = self._places([address for _, address in events])
        calls = [(name,) + place for (name, _), place in zip(events, places) if name.startswith("__VERIFIER_nondet_")]
        reached = [place for (name, _), place in zip(events, places) if name == "reach_error"]
        return Outcome(status, report, calls, reached[0] if reached else None, events[-1][0] if events else None)

    def _places(self, addresses):
        """File and line of each call, from the address after the call."""
        if not addresses:
            return []
        wanted = "".join("%#x\n" % (int(address, 16) - 1) for address in addresses)
        done = subprocess.run(["addr2line", "-e", self.executable], input=wanted, capture_output=True, text=True,
                              check=True)
        places = []
        for line in done.stdout.splitlines():
            name, _, number = line.split(" ")[0].rpartition(":")
            places.append((os.path.basename(name), int(number) if number.isdigit() else 0))
        return places


def run_compiler(arguments):
    compiler = os.environ.get("CHECK_CC", "gcc")
    done = subprocess.run([compiler] + arguments, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line or "undefined" in line]
        first = (lines or done.stderr.splitlines() or ["no message"])[0]
        raise NativeError("%s cannot build the program: %s" % (compiler, first))


def prepared_text(path):
    """The program with physical lines only, and with a mark at the start of its own reach_error."""
    source = csource.Source(path)
    text, place = source.text, source.definition("reach_error")
    if place is not None:
        mark = " extern void __check_reached(void *); __check_reached(__builtin_return_address(0));"
        text = text[:place] + mark + text[place:]
    return LINE_MARKER.sub("", text)
