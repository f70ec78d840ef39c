"""Expects that boards which came as a machine file are named nowhere in the program.

usage: boards_are_data_test.py ROOT
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
BOARDS = ("rtx3070", "rtx3090", "a6000", "titan-rtx")
CHIPS = ("GA102", "GA104", "TU102")

words = re.compile("|".join(re.escape(word) for word in BOARDS + CHIPS), re.IGNORECASE)
found = []
for folder in ("models", "workloads", "sim"):
    for file in sorted((ROOT / folder).rglob("*.[ch]pp")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if words.search(line):
                found.append(f"{file.relative_to(ROOT)}:{number}: {line.strip()}")
for board in BOARDS:
    if not (ROOT / "configs" / f"{board}.yaml").exists():
        found.append(f"configs/{board}.yaml is not there")
print("\n".join(found))
sys.exit(1 if found else 0)
