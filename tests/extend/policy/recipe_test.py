"""Does what a recipe of docs/extend.md for a policy says, and builds and runs what the policy needs.

usage: recipe_test.py ROOT HEADING WORD KEYS SUITE[,SOURCE...] COMPILER [FLAG...]

A recipe is the section "## HEADING". Behind a comment <!-- recipe: file PATH --> stands a block that becomes PATH, behind
<!-- recipe: patch --> one that `patch -p1` applies, in a fresh folder that is searched for headers before ROOT. With those,
the contract suite SUITE of all policies is built, with the SOURCEs that it needs, and runs for the policy called WORD, and each
of KEYS ("l2.replacement,...") must allow for WORD. COMPILER and its FLAGs are those of the build; libraries stand among the flags.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

MARK = re.compile(r"<!-- recipe: (?:file (?P<file>\S+)|patch) -->\n```\w*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
PATCHED = re.compile(r"^--- a/(\S+)$", re.MULTILINE)
MOST_FILES = 2


class RecipeError(Exception):
    pass


def section(page, heading):
    parts = re.split(r"^## (.*)$", page, flags=re.MULTILINE)
    found = dict(zip(parts[1::2], parts[2::2])).get(heading)
    if found is None:
        raise RecipeError(f"no section '## {heading}'")
    return found


def apply(recipe, root, folder):
    """Writes and patches the files of `recipe` below `folder`; returns their paths."""
    paths = []
    for block in MARK.finditer(recipe):
        if block["file"]:
            path = folder / block["file"]
            if (root / block["file"]).exists():
                raise RecipeError(f"{block['file']} is there already")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block["text"])
            paths.append(block["file"])
            continue
        for name in PATCHED.findall(block["text"]):
            copy = folder / name
            if not copy.exists():
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes((root / name).read_bytes())
            paths.append(name)
        done = subprocess.run(["patch", "-p1", "--fuzz=0", "-d", folder], input=block["text"], text=True, capture_output=True)
        if done.returncode:
            raise RecipeError(f"the patch does not apply: {done.stdout}{done.stderr}")
    if not 0 < len(set(paths)) <= MOST_FILES:
        raise RecipeError(f"touches {len(set(paths))} files, not 1 to {MOST_FILES}: {paths}")
    return paths


def build(command, root, folder, sources, libraries, program):
    done = subprocess.run([*command, "-I", folder, "-I", root, *sources, *libraries, "-o", program],
                          capture_output=True, text=True)
    if done.returncode:
        raise RecipeError(f"does not compile:\n{done.stderr}")


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RecipeError(f"{' '.join(map(str, command))}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def follow(page, root, heading, word, keys, suite, compiler):
    """Raises RecipeError if anything that the recipe says is not so."""
    libraries = [flag for flag in compiler if flag.startswith("-l") or flag.endswith((".a", ".so"))]
    command = [flag for flag in compiler if flag not in libraries]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        apply(section(page, heading), root, folder)
        build(command, root, folder, [root / source for source in suite.split(",")], libraries, folder / "suite")
        ran = run([folder / "suite", f"--gtest_filter=*/{word}"])
        if "[  PASSED  ] 0 tests" in ran:
            raise RecipeError(f"{suite} has no test of {word}")
        schema = [root / "tests/extend/policy/allowed_words.cpp", root / "sim/config/schema_sm.cpp",
                  root / "sim/config/schema_memory.cpp", root / "sim/config/schema_chip.cpp"]
        build(command, root, folder, schema, [], folder / "allowed_words")
        rows = dict(line.split(" ", 1) for line in run([folder / "allowed_words"]).splitlines())
        for key in keys.split(","):
            if word not in rows.get(key, "").split("|"):
                raise RecipeError(f"{key} does not allow for {word}: {rows.get(key)}")


def main():
    root, heading, word, keys, suite, *compiler = sys.argv[1:]
    root = pathlib.Path(root)
    try:
        follow((root / "docs/extend.md").read_text(encoding="utf-8"), root, heading, word, keys, suite, compiler)
    except RecipeError as error:
        sys.exit(f"docs/extend.md: {heading}: {error}")


if __name__ == "__main__":
    main()
