#!/usr/bin/env python3
"""Checks the commands that the documentation shows.

usage: documented_commands.py TCSIM ROOT [--run [--slow] [--update]] [FILE...]

Commands stand in fenced blocks of `sh`, one a line, or of `console`, behind "$ " with lines of their output, which must come
in that order; a line "..." may stand for any. A comment before a block says how to treat it:
  <!-- commands: setup: COMMAND -->   runs COMMAND first; may be repeated
  <!-- commands: slow -->             only with --slow, which runs no other
  <!-- commands: not run: REASON -->  never
Without --run nothing is executed: every program must be there, every tcsim command and option must be one of `tcsim manual`.
With --run each block runs in a fresh folder beside the inputs of the tree, and every command must end with status 0, or with
that of a comment "# status N". --update writes what a command printed in the place of the lines shown.
"""
import argparse
import contextlib
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

COMMAND_WORDS = re.compile(r"^(\$ )?(tcsim|scripts/|\./scripts/|tests/)")
MARK = re.compile(r"<!-- commands: (.*?) -->")
LINKED = ("configs", "docs", "scripts", "workloads", "tests")


class Block:
    """A fenced block with the marks before it; `first` is the line number of its first line, from 1."""

    def __init__(self, file, first, language, lines, marks):
        self.file, self.first, self.language, self.lines, self.marks = file, first, language, lines, marks

    def steps(self):
        """(line number, command, lines of output shown) of each command."""
        if self.language == "sh":
            return [(self.first + i, line, []) for i, line in enumerate(self.lines) if line and not line.startswith("#")]
        steps = []
        for i, line in enumerate(self.lines):
            if line.startswith("$ "):
                steps.append((self.first + i, line[2:], []))
            elif steps:
                steps[-1][2].append(line)
        return steps

    def mark(self, word):
        return [mark[len(word) :].lstrip(": ") for mark in self.marks if mark.startswith(word)]


def blocks_of(file):
    lines = file.read_text(encoding="utf-8").splitlines()
    marks, start, language = [], None, ""
    for number, line in enumerate(lines):
        fence = re.match(r"^```(\w*)", line)
        if fence and start is None:
            start, language = number + 1, fence.group(1)
        elif fence:
            yield Block(file, start + 1, language, lines[start:number], marks)
            start, marks = None, []
        elif start is None:
            marks += MARK.findall(line)
            if line and not MARK.search(line):
                marks = []


def known_commands(tcsim):
    """Options by the words of each command, from the manual that the program prints."""
    manual = subprocess.run([tcsim, "manual", "-f", "md"], check=True, capture_output=True, text=True).stdout
    commands, current = {"tcsim": {"--help", "--version", "-h"}}, "tcsim"
    for line in manual.splitlines():
        if line.startswith("## "):
            current = line[3:]
            commands[current] = {"--help", "-h"}
        elif line.startswith("| `-"):
            commands[current].update(re.findall(r"(?:^|[ `])(--?[A-Za-z][\w-]*)", line.split("|")[1]))
    return commands


def words_of(command):
    lexer = shlex.shlex(command, posix=True, punctuation_chars="|&;<>()")
    lexer.whitespace_split = True
    return list(lexer)


def simple_commands(words):
    """The words between |, &&, ; and redirections."""
    part = []
    for word in words:
        if set(word) <= set("|&;<>()"):
            yield part
            part = []
        else:
            part.append(word)
    yield part


def complaints(words, commands, root):
    program = words[0] if words else ""
    if "/" in program and not (root / program).exists():
        yield f"no file {program}"
    if program != "tcsim":
        return
    path = program
    for word in words[1:]:
        if word.startswith("-") and len(word) > 1 and not word[1].isdigit():
            option = word.split("=")[0]
            if option not in commands[path]:
                yield f"'{path}' has no option {option}"
        elif f"{path} {word}" in commands:
            path += f" {word}"


def check(block, commands, root):
    if block.language in ("sh", "console"):
        for number, command, _ in block.steps():
            for words in simple_commands(words_of(command)):
                for complaint in complaints(words, commands, root):
                    yield f"{block.file.relative_to(root)}:{number}: {complaint}"
    elif any(COMMAND_WORDS.match(line) for line in block.lines[:1]):
        yield f"{block.file.relative_to(root)}:{block.first}: commands without a language; open the block with ```sh or ```console"


def shows(printed, expected):
    """Whether the expected lines come in this order; "..." stands for any."""
    position = 0
    for line in expected:
        if line.strip() == "...":
            continue
        try:
            position = printed.index(line.rstrip(), position) + 1
        except ValueError:
            return line
    return None


@contextlib.contextmanager
def workspace(root):
    """A fresh folder beside the inputs of the tree."""
    with tempfile.TemporaryDirectory(prefix="tcsim-docs-") as folder:
        for name in LINKED:
            os.symlink(root / name, pathlib.Path(folder) / name)
        yield pathlib.Path(folder)


def execute(command, tcsim, folder):
    environment = dict(os.environ, PATH=f"{pathlib.Path(tcsim).parent}:{os.environ['PATH']}")
    return subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def run_step(step, tcsim, folder, place):
    """The lines that the command of `step` prints, and what is wrong with them and its status, in the file called `place`."""
    number, command, expected = step
    done, errors = execute(command, tcsim, folder), []
    wanted = re.search(r"# status (\d+)", command)
    if done.returncode != (int(wanted.group(1)) if wanted else 0):
        errors.append(f"{place}:{number}: status {done.returncode}: {command}\n{done.stdout}{done.stderr}")
    printed = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
    missing = shows(printed, expected)
    if missing is not None:
        errors.append(f"{place}:{number}: not printed (any more): {missing}\n{done.stdout}{done.stderr}")
    return printed, errors


def run_block(block, tcsim, root, update):
    errors, outputs, place = [], {}, block.file.relative_to(root)
    with workspace(root) as folder:
        for command in block.mark("setup"):
            done = execute(command, tcsim, folder)
            if done.returncode != 0:
                errors.append(f"{place}:{block.first}: setup '{command}': status {done.returncode}: {done.stderr}")
        for number, command, expected in block.steps():
            outputs[number], wrong = run_step((number, command, [] if update else expected), tcsim, folder, place)
            errors += wrong
    return errors, outputs


def write_outputs(block, outputs):
    """Puts the outputs into the file where a command shows all of its lines, that is without "..."."""
    lines = block.file.read_text(encoding="utf-8").splitlines()
    for number, _, expected in reversed(block.steps()):
        if expected and not any(line.strip() == "..." for line in expected):
            lines[number : number + len(expected)] = outputs[number]
    block.file.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("tcsim")
    parser.add_argument("root", type=pathlib.Path)
    for option in ("--run", "--slow", "--update"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_intermixed_args()
    root, tcsim = options.root.resolve(), str(pathlib.Path(options.tcsim).resolve())
    # The handouts of the labs hold personal numbers; tests/labs runs their commands.
    pages = [page for page in sorted((root / "docs").rglob("*.md")) if page.name != "handout.md"]
    files = [file.resolve() for file in options.files] or [root / "README.md", *pages]
    commands = known_commands(tcsim)
    errors, count = [], 0
    for file in files:
        for block in reversed(list(blocks_of(file))):
            errors += check(block, commands, root)
            if block.language not in ("sh", "console"):
                continue
            count += len(block.steps())
            # Blocks of a recipe share a folder: tests/extend runs them.
            skipped = file.name == "extend.md" or block.mark("not run") or bool(block.mark("slow")) != options.slow
            if options.run and not skipped:
                failed, outputs = run_block(block, tcsim, root, options.update)
                errors += failed
                if options.update and not failed:
                    write_outputs(block, outputs)
    for error in errors:
        print(error)
    print(f"{len(files)} files, {count} commands, {len(errors)} errors", file=sys.stderr)
    return 1 if errors or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
