#!/usr/bin/env python3
"""Works through one lab as the student "solution" and grades it.

usage: run_lab.py TCSIM ROOT NUMBER [--update]

Runs every command of the lab's handout, which must be those of its lab.yaml and leave the figure it names; then the
instructor's answers must get full marks, and the same sheet with a wrong unit must be told so. In a lab whose points are not
all for answers (the solution has checks) a sheet that is blank but for a right value with a wrong unit must get no points.
--update rewrites the instructor's answers that the model no longer gives; look at them before you commit.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

STUDENT = "solution"


def run(tcsim, arguments, folder, status=0):
    done = subprocess.run([tcsim] + arguments, cwd=folder, capture_output=True, text=True)
    if done.returncode != status:
        sys.exit(f"tcsim {' '.join(arguments)}: status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done.stdout


def handout_commands(folder):
    blocks = re.findall(r"```(?:sh)?\n(.*?)```", (folder / "handout.md").read_text(), re.S)
    return [line for block in blocks for line in block.splitlines() if line.startswith("tcsim ")]


def run_as_shown(tcsim, command, folder):
    """Runs a command of the handout: `*` in a name as a shell does, `# status N` behind it if that is not 0."""
    command, _, status = command.partition(" # status ")
    words = []
    for word in command.split()[1:]:
        found = sorted(path.relative_to(folder) for path in folder.glob(word)) if "*" in word else []
        words += [str(path) for path in found] or [word]
    run(tcsim, words, folder, int(status or 0))


def lab_commands(folder):
    lines = (folder / "lab.yaml").read_text().splitlines()
    return [line[4:] for line in lines if line.startswith("  - tcsim ")]


def score(folder):
    tests = json.loads((folder / "results.json").read_text())["tests"]
    return sum(test["score"] for test in tests), sum(test["max_score"] for test in tests), tests


def with_wrong_unit(sheet, answered):
    """`sheet` with the first answer of `answered`, but for its unit, and the question of it."""
    question, value, _, _ = answered.splitlines()[1].split(",", 3)
    wrong, count = re.subn(rf"^{question},[^,]*,[^,]*,", f"{question},{value},furlong,", sheet, flags=re.M)
    if count != 1:
        sys.exit(f"the sheet has {count} rows of {question}")
    return wrong, question


def update(answers, table):
    """Replaces the values in file `answers` that `table`, printed with --show-expected, does not accept."""
    expected = re.findall(r"^  (\w+) +0/\S+ .*; expected (\S+)", table, re.M)
    text = answers.read_text()
    for question, value in expected:
        print(f"{answers.parent.name}: {question} is {value} now")
        text = re.sub(rf"^{question},[^,]*,", f"{question},{value},", text, flags=re.M)
    answers.write_text(text)


def main():
    tcsim, root, number = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    lab = next((root / "docs/labs").glob(f"{number:02}-*"))
    solutions = root / "labs-instructor"
    with tempfile.TemporaryDirectory() as home:
        folder = pathlib.Path(home) / "work"
        run(tcsim, ["lab", "start", str(number), "--student", STUDENT, "-o", str(folder)], home)
        commands = lab_commands(folder)
        if not commands or handout_commands(folder) != commands:
            sys.exit("handout.md and lab.yaml name different commands")
        for command in commands:
            run_as_shown(tcsim, command, folder)
        figure = re.search(r"^figure: (.*)$", (folder / "lab.yaml").read_text(), re.M).group(1)
        if not (folder / figure).stat().st_size:
            sys.exit(f"{figure} is empty")
        def grade(out, *further):
            """Grades `folder` into a new one, and returns that and the table."""
            words = ["lab", "grade", str(number), str(folder), "--student", STUDENT, "--secret", "none",
                     "--solutions", str(solutions), "-o", out]
            return pathlib.Path(home) / out, run(tcsim, words + list(further), home)

        sheet, answers = folder / "answers.csv", solutions / lab.name / "answers.csv"
        if "\nchecks:" in (solutions / lab.name / "solution.yaml").read_text():
            wrong, question = with_wrong_unit(sheet.read_text(), answers.read_text())
            sheet.write_text(wrong)
            points, most, tests = score(grade("wrong")[0])
            if points != 0 or most <= 0:
                sys.exit(f"a sheet without an answer gets {points} of {most} points")
            told = next(test for test in tests if test["name"] == question)
            if "wrong unit" not in told["output"] or "furlong" in told["output"]:
                sys.exit(f"a wrong unit is not told as such: {told}")
        for file in (solutions / lab.name).iterdir():
            if file.name != "solution.yaml":
                shutil.copy(file, folder / file.name)
        told = run(tcsim, ["lab", "check", str(folder)], home, status=1)
        report = folder / "report.md"
        text = report.read_text()
        if told.count("report.md: ") != text.count("\n## "):
            sys.exit(f"a blank report is taken for a complete one:\n{told}")
        report.write_text(re.sub(r"\n(?=\n## |\Z)", "\n\nAn answer.\n", text))
        if figure in run(tcsim, ["lab", "check", str(folder)], home):
            sys.exit(f"{figure} is not found")
        solved, table = grade("solved", "--show-expected")
        if "--update" in sys.argv:
            return update(answers, table)
        print(table)
        points, most, _ = score(solved)
        if points != most:
            sys.exit(f"the solution gets {points} of {most} points")
        sheet.write_text(with_wrong_unit(sheet.read_text(), answers.read_text())[0])
        run(tcsim, ["lab", "check", str(folder)], home, status=1)


main()
