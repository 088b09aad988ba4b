#!/usr/bin/env python3
"""Compares the headers of the programs in this folder with native runs.

Each program is compiled by clang-19 at -O0 with `native.c`, which runs it on every input, or on
samples where there are too many. Distinct sequences of basic blocks are distinct paths, provided
every branch depends on inputs or is the same in all runs. What is compared:

* the numbers of completed and of error paths (`//@ paths:`);
* kind and line of every finding (`//@ finding:`), as the sanitisers see it;
* `//@ test:`: some path has this input in all of its runs.

Lines that only this script reads:

* `//@ native: x=0..9,255 s=[0,97]`  what to try: `[...]` is for each byte of an object. Without
  it, one byte is 0..255, and a wider input is each constant of the program and its neighbours.
* `//@ native: objects`  the object that an access reaches is part of the path.
* `//@ native: byte-loops`  string functions are those of include/byte_loops.h, whose branches count.
* `//@ native: -FLAG`    a flag for the compiler.
* `//@ native: no WHY`   it cannot be run natively, or its answer is not about native runs.

Usage: check.py [PROGRAM...]; exit code 0 if all agree.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent
SANITIZERS = "integer-divide-by-zero,shift-exponent,unreachable,function"
SETTINGS = ("symbolize=0:redzone=512:detect_stack_use_after_return=1:handle_sigill=0:"
            "allow_user_segv_handler=0:fast_unwind_on_fatal=1:handle_sigfpe=1:"
            "allocator_may_return_null=1:detect_leaks=0")
INPUTS_AT_MOST = 1 << 20
KINDS = {"ptr", "free", "readonly", "overflow", "overshift", "div", "assert", "abort", "user",
         "exec", "external", "leak", "uninit", "stack", "bad_vector_access", "uncaught_exception"}


class Header:
    """What a program says of itself."""

    def __init__(self, path):
        self.text = path.read_text()
        self.paths = self.partial = self.exit = self.why = self.skip = None
        self.findings, self.tests, self.flags, self.domains = [], [], [], {}
        self.run = []
        self.objects = False
        for line in self.text.splitlines():
            if not line.startswith("//@ "):
                break
            key, _, value = line[4:].partition(":")
            self.read(path, key, value.strip())
        for missing in ("exit", "why"):
            if getattr(self, missing) is None:
                sys.exit(f"{path.name}: no `//@ {missing}:` line")
        expected = 1 if self.findings else 2 if self.partial else 0
        if self.exit != expected:
            sys.exit(f"{path.name}: exit code {self.exit}, but the rest says {expected}")

    def read(self, path, key, value):
        if key == "paths":
            match = re.fullmatch(r"(\d+) completed, (\d+) errors", value)
            self.paths = (int(match[1]), int(match[2]))
        elif key == "finding":
            kind, line, _word = value.split(None, 2)
            if kind not in KINDS:
                sys.exit(f"{path.name}: {kind} is not a kind of finding")
            self.findings.append((kind, int(line)))
        elif key == "test":
            error = value.startswith("error ")
            name, _, number = value.removeprefix("error ").partition("=")
            self.tests.append((error, name, int(number, 0)))
        elif key == "run":
            self.run += value.split()
        elif key == "exit":
            self.exit = int(value)
        elif key in ("why", "partial"):
            setattr(self, key, value)
        elif key == "native":
            self.read_native(value)
        else:
            sys.exit(f"{path.name}: `{key}` is not a known line of a header")

    def read_native(self, value):
        if value.startswith("no "):
            self.skip = value[3:]
            return
        for word in value.split():
            if word == "objects":
                self.objects = True
            elif word == "byte-loops":
                self.flags += ["-fno-builtin", "-include", "byte_loops.h"]
            elif word.startswith("-"):
                self.flags.append(word)
            else:
                name, _, domain = word.partition("=")
                self.domains[name] = expand(domain)


def expand(domain):
    """`1..3,9` as a list of numbers, in brackets if it was."""
    inner = domain.strip("[]")
    numbers = []
    for part in inner.split(","):
        low, dots, high = part.partition("..")
        numbers += range(int(low, 0), int(high, 0) + 1) if dots else [int(low, 0)]
    text = ",".join(map(str, numbers))
    return f"[{text}]" if domain.startswith("[") else text


def interesting(text):
    """Values for inputs wider than a byte: the program's constants and their neighbours."""
    body = "\n".join(l for l in text.splitlines() if not l.startswith(("//@", "#include")))
    found = {0, 1, 2}
    for literal in re.findall(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]*\b", body):
        found.add(int(literal, 16) if literal[:2] in ("0x", "0X") else int(literal))
    for character in re.findall(r"'(.)'", body):
        found.add(ord(character))
    base = {v + d for v in found for d in (-1, 0, 1)}
    return sorted(base | {-v for v in base})


def domains_of(header):
    words = interesting(header.text)
    domains = dict(header.domains)
    for size in (2, 4, 8, 16):
        bits = 8 * size
        edges = [1 << (bits - 1), (1 << (bits - 1)) - 1, (1 << bits) - 1, (1 << bits) - 2]
        edges = [e for e in edges if e < 1 << 64]
        domains.setdefault(f"*{size}", ",".join(map(str, sorted(set(words + edges + [-e for e in edges])))))
    return ";".join(f"{k}={v}" for k, v in domains.items())


def compile_program(path, header, folder):
    binary = Path(folder) / path.stem
    checks = SANITIZERS
    if "--check" in header.run and "overflow" in header.run:
        checks += ",signed-integer-overflow"
    flags = list(header.flags)
    for at, word in enumerate(header.run):
        if word == "--cc-flag":
            flags.append(header.run[at + 1])
    compiler = "clang++-19" if path.suffix == ".cc" else "clang-19"
    instrument = ["-fsanitize=address", f"-fsanitize={checks}", f"-fsanitize-trap={checks},signed-integer-overflow",
                  "-fsanitize-address-use-after-return=always", "-fsanitize-address-use-after-scope",
                  "-fsanitize-coverage=bb,no-prune,trace-pc,trace-loads,trace-stores"]
    common = ["-O0", "-g", "-fno-builtin-abort", "-fno-pie", "-w", f"-I{HERE / 'include'}"]
    native, program = Path(folder) / "native.o", Path(folder) / f"{path.stem}.o"
    subprocess.run([compiler, *common, *instrument, *flags, "-c", path, "-o", program], check=True)
    if not native.exists():
        subprocess.run(["clang-19", *common, "-Wall", "-fsanitize=address", "-fsanitize-address-use-after-return=never",
                        "-c", HERE / "native.c", "-o", native], check=True)
    subprocess.run([compiler, "-no-pie", "-g", "-fsanitize=address,undefined", native, program, "-o", binary], check=True)
    return binary


def lines_of(binary, addresses):
    """File and line of code addresses."""
    if not addresses:
        return {}
    ordered = sorted(addresses)
    done = subprocess.run(["llvm-symbolizer-19", "--no-inlines", "--functions=none", f"--obj={binary}", *ordered],
                          capture_output=True, text=True, check=True)
    places = [l for l in done.stdout.splitlines() if l]
    return dict(zip(ordered, places, strict=True))


def run_all(path, header, folder):
    """Paths: (hash, outcome, line) -> [inputs of each run], and how many runs there were."""
    binary = compile_program(path, header, folder)
    environment = {**os.environ, "ASAN_OPTIONS": SETTINGS, "NATIVE_DOMAINS": domains_of(header)}
    if header.objects:
        environment["NATIVE_OBJECTS"] = "1"
    if "leak" in header.run:
        environment["NATIVE_LEAKS"] = "1"
        environment["ASAN_OPTIONS"] = SETTINGS.replace("detect_leaks=0", "detect_leaks=1:leak_check_at_exit=0")
    process = subprocess.Popen([binary], env=environment, stdout=subprocess.PIPE, text=True)
    rows, addresses = [], set()
    for line in process.stdout:
        hash_, outcome, place, *inputs = line.split()
        if len(rows) == INPUTS_AT_MOST:
            process.kill()
            sys.exit(f"{path.name}: more than {INPUTS_AT_MOST} inputs")
        if place.startswith("0x"):
            addresses.update(place.split(","))
        rows.append((hash_, outcome, place, inputs))
    process.wait()
    places = lines_of(binary, addresses)
    paths = defaultdict(list)
    for hash_, outcome, place, inputs in rows:
        if outcome == "pruned":
            continue
        line = None
        if place.startswith("line:"):
            line = int(place[5:])
        elif place != "-":
            for address in place.split(","):
                file, number, *_ = places[address].rsplit(":", 2)
                if os.path.basename(file) == path.name:
                    line = int(number)
                    break
        paths[hash_, outcome, line].append(inputs)
    return paths, len(rows)


def check(path, folder):
    """(verdict, text): whether header and native runs agree; None if there is nothing to compare."""
    header = Header(path)
    if header.skip:
        return None, header.skip
    paths, runs = run_all(path, header, folder)
    strange = {o for _, o, _ in paths} - KINDS - {"completed"}
    if strange:
        return False, f"runs ended by {', '.join(sorted(strange))}"
    wrong = []
    completed = sum(1 for _, outcome, _ in paths if outcome == "completed")
    counted = (completed, len(paths) - completed)
    if header.paths is not None and header.paths != counted:
        wrong.append(f"paths {header.paths}, natively {counted}")
    found = {(outcome, line) for _, outcome, line in paths if outcome != "completed"}
    if "leak" in header.run:
        # Where a leaked object was made is not in the report.
        if any(kind == "leak" for kind, _ in found):
            found = {f for f in found if f[0] != "leak"} | {f for f in header.findings if f[0] == "leak"}
    if found != set(header.findings):
        wrong.append(f"findings {sorted(header.findings)}, natively {sorted(found, key=str)}")
    for error, name, number in header.tests:
        if not any(always(inputs, name, number) for (_, outcome, _), inputs in paths.items()
                   if not error or outcome != "completed"):
            wrong.append(f"no path forces {name}={number}")
    text = f"{counted[0]} completed, {counted[1]} errors in {runs} runs"
    return not wrong, "; ".join(wrong) or text


def always(runs, name, number):
    """Whether this input is this number in all runs of a path."""
    for inputs in runs:
        values = [v for n, _, v in (i.partition("=") for i in inputs) if n == name]
        if len(values) != 1 or int(values[0], 16) != number % (1 << 4 * len(values[0])):
            return False
    return True


def main():
    names = sys.argv[1:]
    programs = [Path(n) for n in names] or sorted(p for p in HERE.iterdir()
                                                  if p.suffix in (".c", ".cc") and p.name != "native.c")
    tally = defaultdict(int)
    with tempfile.TemporaryDirectory() as folder:
        for path in programs:
            try:
                verdict, text = check(path.resolve(), folder)
            except subprocess.CalledProcessError as error:
                verdict, text = False, f"{Path(error.cmd[0]).name} failed"
            word = {True: "agrees", False: "DIFFERS", None: "not run"}[verdict]
            tally[word] += 1
            print(f"{path.name:32} {word:8} {text}", flush=True)
    print(", ".join(f"{count} {word}" for word, count in sorted(tally.items())))
    return 1 if tally["DIFFERS"] else 0


if __name__ == "__main__":
    sys.exit(main())
