#!/usr/bin/env python3
"""scripts/check_measured_numerics tells agreement, a wrong bit, a file it cannot replay and an absent folder apart.

usage: check_measured_numerics_test.py REPOSITORY TCSIM
"""
import gzip
import pathlib
import subprocess
import sys
import tempfile
import unittest

TCSIM = pathlib.Path(sys.argv.pop(2)).resolve()
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
NAME = "a100_wmma_f16_f32_k8.csv.gz"
HEADER = "cat,a,b,c,d\n"
RIGHT = "hw,3c003c00,3c003c00,00000000,40000000\n"  # 1*1 + 1*1 = 2
WRONG = "hw,3c003c00,3c003c00,00000000,40000001\n"


def run(folder):
    result = subprocess.run([ROOT / "scripts/check_measured_numerics", "--tcsim", TCSIM, folder], capture_output=True,
                            text=True)
    return result.returncode, result.stdout


def run_with(name, text):
    """The outcome for a folder with one file."""
    with tempfile.TemporaryDirectory() as directory:
        with gzip.open(pathlib.Path(directory) / name, "wt") as file:
            file.write(text)
        return run(directory)


class CheckMeasuredNumerics(unittest.TestCase):
    def test_reproduced_bits_end_with_status_0(self):
        status, text = run_with(NAME, HEADER + RIGHT + RIGHT)
        self.assertEqual(status, 0, text)
        self.assertIn("1 files, 2 vectors, 0 mismatches", text)

    def test_a_wrong_bit_ends_with_status_1_and_is_counted(self):
        status, text = run_with(NAME, HEADER + RIGHT + WRONG)
        self.assertEqual(status, 1, text)
        self.assertRegex(text, NAME + r" +2 +1\n")

    def test_sparse_and_emulated_instructions_are_replayed_as_mma(self):
        for name, row in (("h100_mma_sp_f16_f32_k16.csv.gz", RIGHT),
                          ("h100_mma_emulated_e4m3_f32_k32.csv.gz", "hw,3838,3838,00000000,40000000\n")):
            with self.subTest(name):
                self.assertEqual(run_with(name, HEADER + row)[0], 0)

    def test_what_cannot_be_replayed_is_no_agreement(self):
        for name, text in ((NAME, HEADER + "hw,xx\n"), ("odd.csv.gz", HEADER + RIGHT), (NAME, HEADER),
                           ("v100_wmma_bf16_f32_k8.csv.gz", HEADER + RIGHT)):
            with self.subTest(name):
                self.assertEqual(run_with(name, text)[0], 2)

    def test_an_absent_folder_is_a_skipped_check(self):
        self.assertEqual(run(ROOT / "no such folder")[0], 77)


if __name__ == "__main__":
    unittest.main()
