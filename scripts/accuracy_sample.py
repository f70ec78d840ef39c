#!/usr/bin/env python3
"""A handful of measured rows, one of each class, that show whether simulated times have changed.

usage: scripts/accuracy_sample.py (--check | --faults | --write) [--tcsim FILE]

--check    compares the simulated times of tests/validation/sample.csv with the golden file
           tests/validation/sample_golden.csv, which holds what they were when it was written, right or wrong. It also
           compares the golden's hash with the one in tests/validation/accuracy.csv, so that the table of errors always
           belongs to the current model.
--faults   plants a fault in the machine of each class and fails unless the class leaves its band around the golden.
--write    writes the golden and puts its hash into accuracy.csv; scripts/accuracy --write includes this.
"""
import argparse
import csv
import hashlib
import pathlib
import re
import sys
import tempfile

import simulator

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "validation"
SAMPLE, GOLDEN, ACCURACY = FOLDER / "sample.csv", FOLDER / "sample_golden.csv", FOLDER / "accuracy.csv"
BAND_PERCENT = 5  # a class whose simulated time changes by more has left its band

# The planted fault for the row of each class: half the rate, twice the interval, a microsecond more.
FAULTS = {
    "dram": "clocks.memory_mhz=2500",
    "l2": "l2.bytes_per_cycle_per_slice=32",
    "launch": "launch.overhead_us=2.5",
    "shared": "sm.l1.bytes_per_cycle=64",
    "tensor": "sm.tensor.least_interval_cycles=8",
}


def revision(program):
    words = simulator.run(program, "--version", capture_output=True).stdout
    return re.search(r"\((.*)\)", words)[1]


def simulated(program, table, overrides=()):
    """Simulated microseconds of each row, as text."""
    words = ["validate", str(table), "-f", "csv", "--no-files", "-q"]
    for override in overrides:
        words += ["--set", override]
    done = simulator.run(program, *words, capture_output=True)
    if done.returncode != 0:
        sys.exit(f"tcsim {' '.join(words)}: status {done.returncode}\n{done.stderr}")
    return [row["simulated_us"] for row in csv.DictReader(done.stdout.splitlines())]


def golden_text(program):
    lines = SAMPLE.read_text().splitlines()[1:]
    rows = [f"{number},{time}\n" for number, time in enumerate(simulated(program, SAMPLE), 2)]
    if len(rows) != len(lines):
        sys.exit(f"{SAMPLE}: {len(lines)} rows, {len(rows)} were simulated")
    return "line,simulated_us\n" + "".join(rows)


def hash_of(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def with_hash(accuracy, value):
    """The table of errors with `value` in its last column."""
    lines = accuracy.splitlines()
    return "".join(line.rsplit(",", 1)[0] + "," + ("sample" if at == 0 else value) + "\n" for at, line in enumerate(lines))


def write_accuracy(accuracy, program):
    """Puts the table in the file `accuracy` into the project, with a golden of the same program."""
    golden = golden_text(program)
    GOLDEN.write_text(golden)
    ACCURACY.write_text(with_hash(pathlib.Path(accuracy).read_text(), hash_of(golden)))


def check(program):
    stored, now = GOLDEN.read_text(), golden_text(program)
    rows = len(now.splitlines())
    if rows != len(stored.splitlines()):
        sys.exit(f"{GOLDEN.name}: {len(stored.splitlines()) - 1} rows for the {rows - 1} of {SAMPLE.name}")
    mistakes = [f"{SAMPLE.name}:{line.split(',')[0]}: {old.split(',')[1]} us was simulated, now {line.split(',')[1]}"
                for old, line in zip(stored.splitlines(), now.splitlines()) if old != line]
    hashes = {line.rsplit(",", 1)[1] for line in ACCURACY.read_text().splitlines()[1:]}
    if hashes != {hash_of(stored)}:
        mistakes.append(f"{ACCURACY.name}: is not of the model that wrote {GOLDEN.name}")
    if mistakes:
        sys.exit("\n".join(mistakes) + "\nthe model has changed: scripts/accuracy --write measures its errors again")


def plant(program):
    header, *rows = SAMPLE.read_text().splitlines()
    true_us = [float(line.split(",")[1]) for line in GOLDEN.read_text().splitlines()[1:]]
    mistakes = []
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "sample.csv"
        for row, true in zip(rows, true_us, strict=True):
            name = re.search(r"class=(\w+)", row)[1]
            table.write_text(f"{header}\n{row}\n")
            faulty = float(simulated(program, table, (FAULTS[name],))[0])
            moved = 100 * (faulty / true - 1)
            print(f"{name}: {FAULTS[name]}: {moved:+.1f} %")
            if abs(moved) <= BAND_PERCENT:
                mistakes.append(f"{name}: {FAULTS[name]} is not noticed")
    missing = FAULTS.keys() - {re.search(r"class=(\w+)", row)[1] for row in rows}
    if missing or mistakes:
        sys.exit("\n".join(mistakes + [f"no row of class {name}" for name in sorted(missing)]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true")
    what.add_argument("--faults", action="store_true")
    what.add_argument("--write", action="store_true")
    simulator.add_option(parser)
    options = parser.parse_args()
    if options.check:
        check(options.tcsim)
    if options.faults:
        plant(options.tcsim)
    if options.write:
        write_accuracy(ACCURACY, options.tcsim)


if __name__ == "__main__":
    main()
