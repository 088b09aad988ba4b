#!/usr/bin/env python3
"""What part of a run its ten largest queries take.

    scripts/query-share.py [--cpu SECONDS] [PROGRAM…]

Each PROGRAM of coreutils (built by scripts/programs.sh; without names, twenty of them) is explored for so much
processor time, 10 s by default. A query is what the core solver was asked; the processor time of all rounds in which a
postponed one was asked again is added up. For each program a line: the share of the ten largest, the largest, and all of the run
in seconds; also by how much the run went over its limit. The exit code is 1 if a share is above one half or a run was more than a
second late.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent
CAIRN = os.environ.get("CAIRN", HERE / "target/release/cairn")
COREUTILS = """basename cat comm cut date dd echo expr factor fold join ls numfmt od printf seq sort stat tail
wc""".split()
SYMBOLIC = "--sym-args 0 2 4 --sym-stdin 8 --sym-files 1 8".split()
LARGEST = 10
# Queries below are not written; each of the largest that is not there took at most this.
LEAST = 0.001


def share(program, seconds):
    """The ten largest queries of a run, with what limits the unwritten ones, the largest, all of the run, and its lateness."""
    with tempfile.TemporaryDirectory() as scratch:
        results = pathlib.Path(scratch) / "results"
        flags = ["--no-tests", "--quiet", "--max-cpu-time", f"{seconds}s", "--output-dir", results]
        flags += ["--write-hard-queries", f"{round(LEAST * 1000)}ms"]
        path = HERE / ".deps/programs/coreutils" / program
        done = subprocess.run([CAIRN, "run", path, *SYMBOLIC, *flags], capture_output=True, text=True)
        if done.returncode > 3:
            sys.exit(f"{program}: exit code {done.returncode}\n{done.stderr}")
        summary = json.loads((results / "summary.json").read_text())
        times = collections.Counter()
        for file in (results / "hard-queries").iterdir():
            head, _, rest = file.read_text().split("\n", 2)
            times[hash(rest)] += float(re.search(r"after ([\d.]+) s", head)[1])
    largest = [time for _, time in times.most_common(LARGEST)]
    together = sum(largest) + LEAST * (LARGEST - len(largest))
    late = summary["cpu_seconds"] - seconds
    return together, max(largest, default=LEAST), summary["cpu_seconds"], late


def main():
    arguments = argparse.ArgumentParser(usage=__doc__)
    arguments.add_argument("--cpu", type=int, default=10)
    arguments.add_argument("programs", nargs="*")
    arguments = arguments.parse_args()
    failed = False
    print(f"{'program':<12} {'share':>6} {'ten':>7} {'largest':>8} {'run':>7} {'late':>6}")
    for program in arguments.programs or COREUTILS:
        together, largest, seconds, late = share(program, arguments.cpu)
        part = together / seconds
        failed |= seconds >= 1 and part > 0.5 or late > 1
        print(f"{program:<12} {part:>6.1%} {together:>7.2f} {largest:>8.2f} {seconds:>7.2f} {late:>6.2f}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
