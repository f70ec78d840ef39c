#!/usr/bin/env python3
"""scripts/gpu/measure says what is wrong or missing, with the status of docs/architecture.md.

usage: driver_test.py REPOSITORY
"""
import os
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()

# Stands for nvcc: knows 7.5 to 9.0, and the "program" it builds says what a host without a GPU says.
FAKE_NVCC = """#!/bin/sh
case "$1" in
  --version) echo "Cuda compilation tools, release 13.0, V13.0.88"; exit 0 ;;
  --list-gpu-arch) printf 'compute_75\\ncompute_80\\ncompute_90\\n'; exit 0 ;;
esac
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\n%s\\n' "$FAKE_PROGRAM" > "$2"
chmod +x "$2"
"""
NO_GPU = 'echo "describe: no NVIDIA GPU can be used here: none is visible" >&2; exit 3'


class Driver(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.nvcc = self.path / "nvcc"
        self.nvcc.write_text(FAKE_NVCC)
        self.nvcc.chmod(self.nvcc.stat().st_mode | stat.S_IXUSR)

    def run_driver(self, *arguments, program=NO_GPU):
        result = subprocess.run([ROOT / "scripts/gpu/measure", "--nvcc", self.nvcc, "-o", self.path / "out", *arguments],
                                capture_output=True, text=True, env={**os.environ, "FAKE_PROGRAM": program})
        return result.returncode, result.stderr

    def test_without_a_gpu_it_ends_with_status_3_and_a_sentence(self):
        status, text = self.run_driver()
        self.assertEqual(status, 3, text)
        self.assertIn("no NVIDIA GPU", text)
        self.assertFalse((self.path / "out").exists(), "a repeat needs no other folder")

    def test_without_nvcc_it_ends_with_status_3(self):
        status, text = self.run_driver("--nvcc", self.path / "absent")
        self.assertEqual(status, 3, text)
        self.assertIn("install the CUDA toolkit", text)

    def test_a_gpu_that_the_toolkit_has_left_behind_is_named(self):
        status, text = self.run_driver(program="echo 70")
        self.assertEqual(status, 3, text)
        self.assertIn("CUDA 13.0 no longer makes code for compute capability 70", text)
        self.assertIn("CUDA 12", text)

    def test_a_gpu_that_the_toolkit_does_not_know_yet_is_named(self):
        status, text = self.run_driver(program="echo 121")
        self.assertEqual(status, 3, text)
        self.assertIn("install a newer CUDA", text)

    def test_mistakes_in_the_command_end_with_status_2(self):
        for arguments, word in ((["--wrong", "1"], "--wrong"), (["--only", "bits,dram"], "'dram' is not a part"),
                                (["--vectors", "x"], "'x' is not a whole number"), (["--only"], "a value is missing")):
            with self.subTest(arguments):
                status, text = self.run_driver(*arguments)
                self.assertEqual(status, 2, text)
                self.assertIn(word, text)

    def test_a_part_that_stops_leaves_the_others_and_status_4(self):
        program = 'case "$0$*" in *show*) echo 80 ;; *memory*) exit 4 ;; *) exit 0 ;; esac'
        status, text = self.run_driver("--only", "memory,gemm", program=program)
        self.assertEqual(status, 4, text)
        self.assertIn("measure: gemm", text)

    def test_results_are_never_written_over(self):
        (self.path / "out").mkdir()
        (self.path / "out/times.csv").write_text("old")
        status, text = self.run_driver()
        self.assertEqual(status, 2, text)
        self.assertIn("not empty", text)


if __name__ == "__main__":
    unittest.main()
