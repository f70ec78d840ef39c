"""Does what a recipe of docs/extend.md for the program itself says: builds tcsim with it and runs its commands.

usage: program_recipe_test.py ROOT BUILD HEADING TCSIM [SUITE FILTER]

A recipe is the section "## HEADING"; what it does to files (tests/extend/overlay.py) is done in a fresh folder that is
searched for headers before ROOT. The sources among them are compiled as BUILD, a folder of Ninja, compiles them, and linked
into a second TCSIM in the place of what it has of them, which then runs the blocks of `console` (recipe_test.py). Only these sources are compiled again, so headers may change in what others do not see: a further enumerator.
SUITE, a GoogleTest program, is linked likewise; it must have tests that FILTER chooses, and pass them.
"""
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
import recipe_test  # noqa: E402
from overlay import RecipeError, apply, section  # noqa: E402


def run(command, folder):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise RecipeError(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def compiled(paths, root, build, folder):
    """Objects of the sources among `paths`."""
    entries = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text())}
    objects = []
    for path in paths:
        if not path.endswith(".cpp"):
            continue
        entry = entries.get(str(root / path))
        if entry is None:
            raise RecipeError(f"{path} is not compiled by itself (tc_compile_alone)")
        words = shlex.split(entry["command"])
        objects.append(folder / f"{len(objects)}.o")
        words[words.index("-o") + 1] = objects[-1]
        words[words.index("-c") + 1] = folder / path
        words.insert(next(i for i, word in enumerate(words) if word.startswith("-I")), f"-I{folder}")
        run(words, entry["directory"])
    return objects


def linked(program, objects, build, folder):
    """`program` of `build` with `objects` before those of its libraries, which are then not taken from there."""
    name = program.relative_to(build)
    link = run(["ninja", "-t", "commands", name], build).splitlines()[-1].split(" && ")[1]
    output = folder / "bin" / program.name
    output.parent.mkdir(exist_ok=True)
    own = f" -o {name} "
    if own not in link:
        raise RecipeError(f"{name}: no such output in: {link}")
    run(["bash", "-c", link.replace(own, f" {' '.join(map(str, objects))} -o {output} ")], build)
    return output


def follow(root, build, heading, tcsim, suite, wanted):
    """Raises RecipeError if anything that the recipe says is not so."""
    page = root / "docs/extend.md"
    with tempfile.TemporaryDirectory(prefix="tcsim-recipe-") as name:
        folder = pathlib.Path(name)
        paths = apply(section(page.read_text(encoding="utf-8"), heading), root, folder)
        objects = compiled(paths, root, build, folder)
        errors, count = recipe_test.run_recipe(linked(tcsim, objects, build, folder), root, page, heading)
        if errors or count == 0:
            raise RecipeError("\n".join(errors or ["no commands"]))
        if suite and "[  PASSED  ] 0 tests" in run([linked(suite, objects, build, folder), f"--gtest_filter={wanted}"], folder):
            raise RecipeError(f"{suite.name} has no test {wanted}")


def main():
    root, build, heading, tcsim, *suite = sys.argv[1:]
    suite, wanted = (pathlib.Path(suite[0]), suite[1]) if suite else (None, None)
    try:
        follow(pathlib.Path(root), pathlib.Path(build), heading, pathlib.Path(tcsim), suite, wanted)
    except RecipeError as error:
        sys.exit(f"docs/extend.md: {heading}: {error}")


if __name__ == "__main__":
    main()
