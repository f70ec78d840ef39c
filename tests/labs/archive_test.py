#!/usr/bin/env python3
"""The student archive holds all of docs/labs and no byte of the instructor's tree.

usage: archive_test.py ROOT
"""
import pathlib
import subprocess
import sys
import tarfile
import tempfile


def main():
    root = pathlib.Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as home:
        archive = pathlib.Path(home) / "labs.tar.gz"
        subprocess.run([root / "scripts/lab_archive", archive], check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(archive) as tar:
            packed = {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}
    public = {f"labs/{path.relative_to(root / 'docs/labs').as_posix()}": path.read_bytes()
              for path in (root / "docs/labs").rglob("*") if path.is_file()}
    if packed != public:
        sys.exit(f"the archive is not docs/labs: {sorted(set(packed) ^ set(public))}")
    secret_files = [path for path in (root / "labs-instructor").rglob("*") if path.is_file()]
    if len(secret_files) < 20:
        sys.exit(f"only {len(secret_files)} files in labs-instructor: is the tree there?")
    for path in secret_files:
        content = path.read_bytes()
        for name, text in packed.items():
            if content == text:
                sys.exit(f"{name} is {path} of the instructor")
            if path.name == "solution.yaml":
                for line in content.splitlines():
                    if b"{id:" in line and line in text:
                        sys.exit(f"{name} holds a line of {path}")
            if path.name == "answers.csv" and any(
                    len(line.split(b",")) > 2 and line.split(b",")[1] for line in text.splitlines()
                    if name.endswith("answers.csv") and not line.startswith(b"question,")):
                sys.exit(f"{name} is not blank")


main()
