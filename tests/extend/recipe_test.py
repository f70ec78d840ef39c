"""Runs the commands of one recipe of docs/extend.md.

usage: recipe_test.py TCSIM ROOT HEADING

A recipe is the section "## HEADING". Its blocks of `console` run in the order in which they stand, all in one fresh folder
beside the inputs of the tree (configs, docs, ...), with `tcsim` in the path; a command that does not end with status 0, or
with that of a comment "# status N", fails, and so does a line that is shown and not printed ("..." stands for any lines).
A block of another language behind the comment <!-- recipe: file PATH --> is written to PATH in that folder instead.
Blocks behind <!-- commands: not run: REASON --> are passed over.
"""
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FILE_MARK = re.compile(r"<!-- recipe: file (\S+) -->")


def documented_commands(root):
    """The module that checks all other documents; it knows blocks, commands and what they show."""
    path = str(root / "tests/docs/documented_commands")
    loader = importlib.machinery.SourceFileLoader("documented_commands", path)
    sys.dont_write_bytecode = True
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def section_lines(page, heading):
    """First and last line number, from 1, of the section `## heading` of `page`."""
    lines = page.read_text(encoding="utf-8").splitlines()
    heads = [number for number, line in enumerate(lines, 1) if line.startswith("## ")] + [len(lines) + 1]
    for first, after in zip(heads, heads[1:]):
        if lines[first - 1] == f"## {heading}":
            return first, after - 1
    sys.exit(f"{page}: no section '## {heading}'")


def file_marks(page):
    """Paths by the number of the line on which the block behind the comment begins."""
    lines = page.read_text(encoding="utf-8").splitlines()
    return {number + 2: found.group(1) for number, line in enumerate(lines, 1) if (found := FILE_MARK.search(line))}


def run(command, folder, tcsim):
    environment = dict(os.environ, PATH=f"{tcsim.parent}:{os.environ['PATH']}")
    return subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)


def errors_of(step, folder, tcsim, shows):
    _, command, expected = step
    done = run(command, folder, tcsim)
    wanted = re.search(r"# status (\d+)", command)
    if done.returncode != (int(wanted.group(1)) if wanted else 0):
        yield f"status {done.returncode}: {command}\n{done.stdout}{done.stderr}"
    printed = [line.rstrip() for line in (done.stdout + done.stderr).splitlines()]
    missing = shows(printed, expected)
    if missing is not None:
        yield f"not printed (any more): {missing}\n{done.stdout}{done.stderr}"


def run_recipe(tcsim, root, page, heading):
    """Errors, each with its place, and the number of commands that ran. Stops behind the first block with an error."""
    checker = documented_commands(root)
    first, last = section_lines(page, heading)
    files, count = file_marks(page), 0
    with tempfile.TemporaryDirectory(prefix="tcsim-recipe-") as name:
        folder = pathlib.Path(name)
        for linked in checker.LINKED:
            os.symlink(root / linked, folder / linked)
        for block in checker.blocks_of(page):
            if not first <= block.first <= last:
                continue
            if block.first in files:
                target = folder / files[block.first]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text("\n".join(block.lines) + "\n", encoding="utf-8")
            elif block.language == "console" and not block.mark("not run"):
                errors = []
                for step in block.steps():
                    count += 1
                    errors += [f"{page.name}:{step[0]}: {error}" for error in errors_of(step, folder, tcsim, checker.shows)]
                if errors:
                    return errors, count
    return [], count


def main():
    tcsim, root, heading = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    errors, count = run_recipe(tcsim, root, root / "docs/extend.md", heading)
    for error in errors:
        print(error)
    print(f"{heading}: {count} commands, {len(errors)} errors")
    return 1 if errors or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
