#!/usr/bin/env python3
"""scripts/gpu/sweep counts what the model reproduces and keeps the rows that it does not, with a program in place of bits.

usage: sweep_test.py REPOSITORY TCSIM
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT, TCSIM = pathlib.Path(sys.argv[1]), sys.argv[2]
NAME = "h100_mma_f64_f64_k4"
# Writes so many rows 1 * 1 + 1 = 2, one of them with another d where the seed is 1001.
BITS = f"""#!/usr/bin/env python3
import sys
words = dict(zip(sys.argv[1::2], sys.argv[2::2]))
one, zero, two = "3ff0000000000000", "0" * 16, "4000000000000000"
with open(words["--out"] + "/{NAME}.csv", "w") as file:
    print("cat,a,b,c,d", file=file)
    for i in range(int(words["--vectors"])):
        d = one if words["--seed"] == "1001" and i == 1 else two
        print(words["--category"], one + 3 * zero, one + 3 * zero, one, d, sep=",", file=file)
"""


class SweepTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        (self.path / "numerics").mkdir()
        (self.path / "numerics" / f"{NAME}.csv").write_text("cat,a,b,c,d\n")

    def sweep(self, program, vectors):
        bits = self.path / "bits"
        bits.write_text(program)
        bits.chmod(0o755)
        return subprocess.run([ROOT / "scripts/gpu/sweep", "--bits", bits, "--tcsim", TCSIM, "--vectors", str(vectors),
                               "--jobs", "2", "--out", self.path / "rows", self.path / "numerics"],
                              capture_output=True, text=True)

    def test_everything_is_reproduced(self):
        outcome = self.sweep(BITS, 40)
        self.assertEqual(outcome.returncode, 0, outcome.stderr)
        self.assertIn("2 sweeps, 80 vectors, 0 mismatches", outcome.stdout)
        self.assertEqual((self.path / "rows").read_text(), "")

    def test_a_row_that_differs_is_counted_and_kept(self):
        outcome = self.sweep(BITS, 500002)
        self.assertEqual(outcome.returncode, 1, outcome.stderr)
        self.assertIn("2 sweeps, 1000004 vectors, 2 mismatches", outcome.stdout)
        rows = (self.path / "rows").read_text().splitlines()
        self.assertEqual(len(rows), 2)
        self.assertIn("mma_f64_f64_k4: bits,3ff0", rows[0])
        self.assertIn("# bits: d expected 3ff0000000000000, computed 4000000000000000", rows[0])

    def test_a_program_that_stops_is_named(self):
        outcome = self.sweep("#!/bin/sh\necho no GPU >&2; exit 3\n", 40)
        self.assertEqual(outcome.returncode, 2)
        self.assertIn("no GPU", outcome.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
