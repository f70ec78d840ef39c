"""Does what a recipe of docs/extend.md for a policy says, and builds and runs what the policy needs.

usage: recipe_test.py ROOT HEADING WORD KEYS SUITE[,SOURCE...] COMPILER [FLAG...]

A recipe is the section "## HEADING"; what it does to files (tests/extend/overlay.py) is done in a fresh folder that is
searched for headers before ROOT. With those, the contract suite SUITE of all policies is built, with the SOURCEs that it
needs, and runs for the policy called WORD, and each of KEYS ("l2.replacement,...") must allow for WORD. COMPILER and its FLAGs are those of the build;
libraries stand among the flags.
"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
sys.dont_write_bytecode = True
from overlay import RecipeError, apply, section  # noqa: E402


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
