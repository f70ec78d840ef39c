#!/usr/bin/env python3
"""The broken parts of lab 4 are files of rtl/ with one line changed, and verify finds what the solution says.

usage: broken_parts_test.py TCSIM ROOT [NUMBER...]     builds and verifies these parts only; all if there are none
"""
import json
import pathlib
import re
import subprocess
import sys

TCSIM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
NUMBERS = [int(word) for word in sys.argv[3:]] or range(1, 7)
LAB = "04-inside-a-tensor-core"
STAGES = ["decode", "multiply", "special_case", "maximum_exponent", "align", "sum", "round_and_pack", "result"]


def changed_line(part):
    sound = (ROOT / "rtl" / part.name).read_text().splitlines()
    broken = part.read_text().splitlines()
    assert len(sound) == len(broken), part
    lines = [number for number, pair in enumerate(zip(sound, broken), 1) if pair[0] != pair[1]]
    assert len(lines) == 1, f"{part} differs from rtl/ in lines {lines}"
    return lines[0]


def found(part):
    """What a student reads off: answers by question."""
    command = next(line[4:] for line in (ROOT / "docs/labs" / LAB / "lab.yaml").read_text().splitlines()
                   if " --rtl " in line)
    words = command.partition(" --rtl ")[0].split()[1:]
    done = subprocess.run([TCSIM, *words, "--rtl", str(part), "-f", "json"], capture_output=True, text=True)
    assert done.returncode == 1, f"{part}: status {done.returncode}\n{done.stderr}"
    reports = {(report["input"], report["accumulator"]): report for report in json.loads(done.stdout)["reports"]}
    first = reports["fp16", "fp32"]["divergence"]
    model = subprocess.run([TCSIM, *first["replay"].split()[1:]], capture_output=True, text=True)
    assert model.returncode == 0, model.stderr
    return {"vectors_fp16": first["vectors_before"],
            "vectors_tf32": reports["tf32", "fp32"]["divergence"]["vectors_before"],
            "stage": STAGES.index(first["stage"]) + 1}


def main():
    solution = (ROOT / "labs-instructor" / LAB / "solution.yaml").read_text()
    parts = sorted((ROOT / "docs/labs" / LAB / "broken").glob("*/*.sv"))
    assert [int(part.parent.name) for part in parts] == list(range(1, 7)), parts
    wrong = 0
    for part in parts:
        number = int(part.parent.name)
        answers = {"line": changed_line(part)} | (found(part) if number in NUMBERS else {})
        for question, value in answers.items():
            expression = re.search(rf"id: {question}, value: \"(.*)\"", solution).group(1)
            expected = eval(expression, {"part": number})  # numbers and comparisons
            if value != expected:
                print(f"{part}: {question} is {value}, not {expected}")
                wrong += 1
    sys.exit(wrong)


main()
