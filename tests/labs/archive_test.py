#!/usr/bin/env python3
"""The student archive holds all of docs/labs and no byte of the instructor's tree.

usage: archive_test.py ROOT
"""
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile


def refuse_planted(root):
    """What is not for students keeps the archive from being made."""
    with tempfile.TemporaryDirectory() as home:
        copy = pathlib.Path(home)
        shutil.copytree(root / "docs/labs", copy / "docs/labs")
        (copy / "scripts").mkdir()
        shutil.copy(root / "scripts/lab_archive", copy / "scripts")
        (copy / "secret").write_text("course secret\n")
        lab = next((copy / "docs/labs").glob("06-*"))
        plants = {
            "link.txt": lambda path: path.symlink_to(copy / "secret"),
            "linked.txt": lambda path: path.hardlink_to(copy / "secret"),
            "course.key": lambda path: path.write_text("course secret\n"),
            "solution.yaml": lambda path: path.write_text("answers: []\n"),
            "roster.csv": lambda path: path.write_text("student\nada\n"),
            "results.json": lambda path: path.write_text("{}\n"),
        }
        for name, plant in plants.items():
            plant(lab / name)
            done = subprocess.run([copy / "scripts/lab_archive", copy / "labs.tar.gz"], capture_output=True, text=True)
            if done.returncode != 1 or name not in done.stderr or (copy / "labs.tar.gz").exists():
                sys.exit(f"{name} in docs/labs: status {done.returncode}\n{done.stderr}")
            (lab / name).unlink()


def main():
    root = pathlib.Path(sys.argv[1])
    refuse_planted(root)
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
