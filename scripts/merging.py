#!/usr/bin/env python3
"""Compares runs with and without merging on the programs of tests/programs and tests/algo.

Each program is explored as its header says, without merging and with each of the modes. Findings (kind, file, line), covered
instructions, lines and directions of branches (each by itself) must be the same, every test must end on the concrete machine as recorded, and `--self-check` must
prove every merge. Programs whose run without merging is partial are compared by their findings alone.

Usage: merging.py [--cairn PATH] [--mode MODE]... [--jobs N] [--no-proofs] [--cpu SECONDS] [PROGRAM...]
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def flags(program):
    """Flags of the header, or nothing if the file is no program of the set."""
    lines = program.read_text(errors="replace").splitlines()
    header = [line[4:] for line in lines if line.startswith("//@ ")]
    if program.with_suffix(".expect").exists():
        return []
    if not header:
        return None
    return [flag for line in header if line.startswith("run: ") for flag in line[5:].split()]


def explore(cairn, program, extra, cpu):
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        command = [cairn, "run", "--quiet", "--output-dir", out, "--max-cpu-time", f"{cpu}s", *extra, program]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=program.parent)
        try:
            summary = json.loads((out / "summary.json").read_text())
        except OSError:
            summary = None
        try:
            covered = directions(Path(out) / "coverage.info")
        except OSError:
            covered = set()
        return done, summary, covered


def directions(file):
    """Lines that were passed and directions that were taken, by file and line."""
    covered, source = set(), None
    for entry in file.read_text().splitlines():
        kind, _, rest = entry.partition(":")
        if kind == "SF":
            source = rest
        elif kind in ("BRDA", "DA") and rest.rpartition(",")[2] not in ("0", "-"):
            covered.add((source, kind, rest.rpartition(",")[0]))
    return covered


def seen(summary):
    findings = {(f["kind"], f.get("file"), f.get("line")) for f in summary["findings"]}
    coverage = summary["coverage"]
    return findings, coverage["instructions"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cairn", default=str(ROOT / "target/release/cairn"))
    parser.add_argument("--mode", action="append")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--no-proofs", action="store_true")
    parser.add_argument("--cpu", type=int, default=20)
    parser.add_argument("programs", nargs="*", type=Path)
    arguments = parser.parse_args()
    programs = arguments.programs or [
        *sorted((ROOT / "tests/programs").glob("*.c*")),
        *sorted((ROOT / "tests/algo").glob("*.c")),
    ]
    modes = arguments.mode or ["joins"]
    proofs = [] if arguments.no_proofs else ["--self-check"]
    wrong, totals, refused, left = 0, Counter(), Counter(), Counter()
    for program in programs:
        own = flags(program.resolve())
        if own is None:
            continue
        jobs = ["--jobs", str(arguments.jobs)]
        _, expected, taken = explore(arguments.cairn, program.resolve(), [*own, *jobs], arguments.cpu)
        if expected is None:
            totals["no summary"] += 1
            continue
        for mode in modes:
            extra = [*own, *jobs, "--merge", mode, *proofs]
            done, summary, took = explore(arguments.cairn, program.resolve(), extra, arguments.cpu)
            totals["runs"] += 1
            if summary is None or done.returncode in (70, 101) or done.returncode < 0:
                print(f"{program.name} {mode}: exit code {done.returncode}\n{done.stderr[-2000:]}")
                wrong += 1
                continue
            merging = summary["merging"]
            for key in ("groups", "merges", "differing_memories"):
                totals[key] += merging[key]
            totals["merged"] += summary["paths"]["merged"]
            totals["programs with merges"] += merging["merges"] > 0
            refused.update(merging["refused"])
            left.update(merging["left"])
            (findings, coverage), (found, covered) = seen(expected), seen(summary)
            whole = expected["status"] == "complete"
            partial = whole and summary["status"] != "complete"
            if partial and summary["stopped_by"] == "max-cpu-time":
                # What it did not get to may lack, and nothing else may be there.
                totals["not done in time"] += 1
                if found - findings or took - taken:
                    print(f"{program.name} {mode}: {sorted(found - findings, key=str)} {sorted(took - taken)[:8]}")
                    wrong += 1
                continue
            differs = coverage != covered or taken != took
            if findings != found or (whole and differs) or partial:
                print(f"{program.name} {mode}: {sorted(findings ^ found, key=str)} {coverage} {covered} {sorted(taken ^ took)[:8]} "
                      f"{summary['incomplete'] if partial else ''}")
                wrong += 1
    print(dict(totals))
    print("refused:", dict(refused.most_common()))
    print("left:", dict(left.most_common()))
    print(f"{wrong} differences")
    sys.exit(1 if wrong else 0)


main()
