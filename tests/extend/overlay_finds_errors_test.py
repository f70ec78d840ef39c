"""Plants mistakes in recipes that change files and expects them to be found before anything is compiled.

usage: overlay_finds_errors_test.py ROOT
"""
import pathlib
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
import overlay  # noqa: E402

ROOT = pathlib.Path(sys.argv[1])
PAGE = (ROOT / "docs/extend.md").read_text(encoding="utf-8")
RECIPES = [heading for heading in re.findall("^## (.*)$", PAGE, re.MULTILINE) if overlay.MOST.search(overlay.section(PAGE, heading))]


def outcome(page, heading):
    with tempfile.TemporaryDirectory() as folder:
        try:
            overlay.apply(overlay.section(page, heading), ROOT, pathlib.Path(folder))
        except overlay.RecipeError as error:
            return str(error)
    return ""


def expect(error, part):
    assert part in error, (part, error)


assert len(RECIPES) == 6, RECIPES
for heading in RECIPES:
    assert outcome(PAGE, heading) == "", heading
    expect(outcome(overlay.MOST.sub("<!-- recipe: at most 1 files -->", PAGE), heading), "files, not 1 to 1: ")
    expect(outcome(PAGE, heading + "s"), "no section")
    expect(outcome(re.sub("recipe: (file|patch)", r"recipes: \1", PAGE), heading), "touches 0 files")
expect(outcome(PAGE.replace("issue_policy/fewest_issued.hpp -->", "issue_policy/greedy.hpp -->"), "A warp scheduler"), "is there already")
for heading, line in {"A warp scheduler": '"models/policy/choice.hpp"', "An operator": '"scale_bias"', "A shape of MMA": "{16, {16, 8, 16}, kAmpere}"}.items():
    assert line in overlay.section(PAGE, heading)
    expect(outcome(PAGE.replace(line, "other"), heading), "the patch does not apply")
