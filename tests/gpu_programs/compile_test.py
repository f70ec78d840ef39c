#!/usr/bin/env python3
"""Every program of scripts/gpu compiles without a warning for every architecture that nvcc knows of 7.0 to 9.0.

usage: compile_test.py REPOSITORY

Status 77 without nvcc: nothing was compiled.
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

CAPABILITIES = ("70", "75", "80", "86", "89", "90")


def main():
    root = pathlib.Path(sys.argv[1])
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        print("no nvcc here, so the programs of scripts/gpu were not compiled: install the CUDA toolkit "
              "(nvidia-cuda-toolkit in 'non-free')")
        return 77
    listed = subprocess.run([nvcc, "--list-gpu-arch"], capture_output=True, text=True, check=True).stdout.split()
    failed = 0
    for capability in CAPABILITIES:
        if f"compute_{capability}" not in listed:
            print(f"{capability}: this nvcc does not know it")
            continue
        with tempfile.TemporaryDirectory() as folder:
            outcome = subprocess.run([root / "scripts/gpu/measure", "--compile-only", capability, "-o", folder],
                                     capture_output=True, text=True)
        clean = outcome.returncode == 0 and "warning" not in outcome.stderr
        print(f"{capability}: {'compiles' if clean else outcome.stderr}")
        failed += not clean
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
