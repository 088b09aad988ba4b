#!/usr/bin/env python3
"""Explores programs under --self-check and adds up what was proved again.

    scripts/self-check.py [--cpu SECONDS] [--instructions N] [--jobs N] [WHAT…]

WHAT is any of: programs (tests/programs), algo (tests/algo), coreutils (30 of those that
scripts/programs.sh builds), riscv (five of tests/algo, linked statically for RISC-V), or files.
Without WHAT: all four. A table of reasons by kind is printed, and each program with a reason that is
wrong or undecided, or with a test that does not end as recorded. The exit code is 1 if any is wrong.
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from collections import Counter

HERE = pathlib.Path(__file__).resolve().parent.parent
CAIRN = os.environ.get("CAIRN", HERE / "target/release/cairn")
COREUTILS = """basename cat chmod comm cp cut date dd dirname echo env expand expr factor fold head join ls mkdir nl
od paste pr printf ptx seq sort tail tr wc""".split()
SYMBOLIC = "--sym-args 0 2 4 --sym-stdin 8 --sym-files 1 8".split()
RISCV = "binary_search_all bubble_sort_1 dirname fibonacci half".split()


def answers(source):
    """The flags that a program of the set says it is run with, or nothing if it is none."""
    head = [line for line in source.read_text(errors="replace").splitlines() if line.startswith("//@")]
    if not head:
        return None
    flags = [line.split(":", 1)[1].split() for line in head if line.startswith("//@ run:")]
    return [flag for line in flags for flag in line]


def runs(what, scratch):
    """Pairs of a program with its flags and the arguments after its name."""
    found = []
    for name in what:
        if name == "programs":
            sources = sorted((HERE / "tests/programs").glob("*.c")) + sorted((HERE / "tests/programs").glob("*.cc"))
            found += [(s, flags, []) for s in sources if (flags := answers(s)) is not None]
        elif name == "algo":
            sources = sorted((HERE / "tests/algo").glob("*.c"))
            found += [(s, [], []) for s in sources if s.with_suffix(".expect").exists()]
        elif name == "coreutils":
            folder = HERE / ".deps/programs/coreutils"
            missing = [c for c in COREUTILS if not (folder / c).exists()]
            if missing:
                sys.exit(f"self-check: {folder / missing[0]} is missing: scripts/programs.sh coreutils builds it")
            found += [(folder / c, [], SYMBOLIC) for c in COREUTILS]
        elif name == "riscv":
            for program in RISCV:
                out = scratch / program
                command = ["clang-19", "--target=riscv64-unknown-elf", "-march=rv64im", "-mabi=lp64", "-O0", "-g", "-w"]
                command += ["-static", "-nostdlib", "-ffreestanding", "-fuse-ld=lld", "-DCAIRN_START"]
                command += ["-I", HERE / "crates/cairn-home/include", "-include", "cairn/riscv.h"]
                subprocess.run([*command, HERE / f"tests/algo/{program}.c", "-o", out], check=True)
                found.append((out, [], []))
        else:
            found.append((pathlib.Path(name), [], []))
    return found


def check(run, options, folder):
    program, flags, arguments = run
    limits = ["--max-cpu-time", f"{options.cpu}s"]
    if options.instructions:
        limits += ["--max-instructions", str(options.instructions)]
    command = [CAIRN, "run", "--self-check", "--search", "dfs", *limits, *flags, "--output-dir", folder, program]
    done = subprocess.run([*map(str, command), *arguments], capture_output=True, text=True, errors="replace")
    return program, done.returncode, done.stdout + done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cpu", type=int, default=10, help="CPU seconds for each program")
    parser.add_argument("--instructions", type=int, default=0, help="instructions for each program at most")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("what", nargs="*", default=["programs", "algo", "coreutils", "riscv"])
    options = parser.parse_args()
    kinds, without, wrong, programs = Counter(), Counter(), [], 0
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        todo = runs(options.what, scratch)
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            jobs = [pool.submit(check, run, options, scratch / f"out{i}") for i, run in enumerate(todo)]
            for job in concurrent.futures.as_completed(jobs):
                program, code, text = job.result()
                programs += 1
                for line in re.findall(r"^[0-9,]+ reasons were proved again: (.*)$", text, re.M):
                    for part in re.split(r"[,;] (?=[0-9])", line):
                        number, kind = part.split(" ", 1)
                        kinds[kind] += int(number.replace(",", ""))
                for line in re.findall(r"^concrete steps without a reason: (.*)$", text, re.M):
                    for part in re.split(r", (?=[0-9])", line):
                        number, kind = part.split(" ", 1)
                        without[kind] += int(number)
                if code == 70 or "bug in Cairn" in text or "undecided" in text or "not decided" in text:
                    wrong.append((program, code, text))
    for title, counts in [("reasons proved again", kinds), ("concrete steps without a reason", without)]:
        print(f"{title}: {sum(counts.values()):,}")
        for kind, number in counts.most_common():
            print(f"  {number:>12,}  {kind}")
    print(f"{programs} programs, {len(wrong)} to look at")
    for program, code, text in wrong:
        print(f"--- {program}: exit code {code}")
        print("\n".join(line for line in text.splitlines() if re.search("bug|undecided|not decided|flawed", line)))
    sys.exit(any(code == 70 for _, code, _ in wrong))


if __name__ == "__main__":
    main()
