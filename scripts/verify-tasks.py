#!/usr/bin/env python3
"""Decides verification tasks with `cairn verify` and compares the verdicts with the known ones.

    scripts/verify-tasks.py [--time SECONDS] [--check] [--list] [FOLDER…]

FOLDER is searched for task definitions (.yml); by default tests/verify. Each task is decided for each of its
properties within so many seconds of processor time. With --check every witness is checked by
scripts/verify/check-witness.py, which was written from the format's description, and the violation it describes is
run natively. A table by family (the folder or the beginning of the name) is printed, then each wrong verdict,
each refused witness and, with --list, why the others were not decided. The exit code is 1 if anything is wrong.
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict

import yaml

HERE = pathlib.Path(__file__).resolve().parent.parent
CAIRN = os.environ.get("CAIRN", HERE / "target/release/cairn")
CHECKER = HERE / "scripts/verify/check-witness.py"


def tasks(folders):
    """Task definitions with their properties."""
    for folder in folders:
        for file in sorted(pathlib.Path(folder).rglob("*.yml")):
            task = yaml.safe_load(file.read_text())
            if isinstance(task, dict) and "input_files" in task:
                for prop in task.get("properties") or []:
                    yield file, task, prop


def family(file):
    """The folder that a task is in, or the beginning of its name."""
    above = file.parent.name
    return file.stem.split("_")[0] if above in ("hand", "verify") else above


def judge(answer, prop):
    """right, wrong or open."""
    if answer == "DONE" or answer.startswith("UNKNOWN ("):
        return "open"
    expected, part = prop.get("expected_verdict"), prop.get("subproperty")
    if answer == "TRUE":
        return "right" if expected is True else "wrong"
    if answer.startswith("FALSE(") and expected is False:
        return "right" if part is None or answer == f"FALSE({part})" else "wrong"
    return "wrong"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", type=int, default=20, help="processor seconds for each verdict")
    parser.add_argument("--check", action="store_true", help="check witnesses and run violations natively")
    parser.add_argument("--list", action="store_true", help="say why tasks were not decided")
    parser.add_argument("folders", nargs="*", default=[HERE / "tests/verify"])
    options = parser.parse_args()
    table = defaultdict(Counter)
    wrong, undecided = [], []
    with tempfile.TemporaryDirectory() as scratch:
        witness = pathlib.Path(scratch) / "witness.yml"
        for file, task, prop in tasks(options.folders):
            property_file = file.parent / prop["property_file"]
            witness.unlink(missing_ok=True)
            command = [CAIRN, "verify", file, "--property", property_file, "--witness", witness]
            command += ["--max-cpu-time", f"{options.time}s", "--max-time", f"{4 * options.time + 20}s"]
            command += ["--max-memory", "4G"]
            ran = subprocess.run([*map(str, command)], capture_output=True, text=True, errors="replace")
            answer = (ran.stdout.splitlines() or [""])[0]
            verdict = judge(answer, prop)
            row = table[family(file)]
            row["tasks"] += 1
            row[verdict] += 1
            name = f"{file.name} {property_file.stem}"
            if ran.returncode not in (0, 1, 2) or verdict == "wrong":
                row["wrong"] += verdict != "wrong"
                wrong.append(f"{name}: {answer} {ran.stderr.strip()} (expected {prop.get('expected_verdict')})")
            elif verdict == "open":
                undecided.append(f"{name}: {answer}")
            if options.check and verdict == "right":
                program = task["input_files"] if isinstance(task["input_files"], str) else task["input_files"][0]
                check = [sys.executable, CHECKER, witness, "--program", file.parent / program]
                check += ["--property", property_file, "--native"]
                checked = subprocess.run([*map(str, check)], capture_output=True, text=True, errors="replace")
                row["accepted"] += checked.returncode == 0
                if checked.returncode != 0:
                    wrong.append(f"{name}: witness: {(checked.stdout + checked.stderr).strip()}")
    columns = ["tasks", "right", "open", "wrong"] + (["accepted"] if options.check else [])
    print(f"{'family':<16}" + "".join(f"{c:>10}" for c in columns))
    for name, row in sorted(table.items()):
        print(f"{name:<16}" + "".join(f"{row[c]:>10}" for c in columns))
    total = sum(table.values(), Counter())
    print(f"{'all':<16}" + "".join(f"{total[c]:>10}" for c in columns))
    for line in wrong:
        print(f"wrong: {line}")
    for line in undecided if options.list else []:
        print(f"open: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
