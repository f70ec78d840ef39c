"""Plants mistakes in recipes that change files and expects them to be found before anything is compiled.

usage: overlay_finds_errors_test.py ROOT
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
import overlay  # noqa: E402

ROOT = pathlib.Path(sys.argv[1])
PAGE = (ROOT / "docs/extend.md").read_text(encoding="utf-8")
MOST_FILES = {"A warp scheduler": 2, "A replacement policy": 2, "A DRAM scheduling policy": 2, "A CTA placement": 2, "An operator": 4, "A shape of MMA": 2}


def outcome(page, heading, most_files=None):
    with tempfile.TemporaryDirectory() as folder:
        try:
            overlay.apply(overlay.section(page, heading), ROOT, pathlib.Path(folder), most_files or MOST_FILES[heading])
        except overlay.RecipeError as error:
            return str(error)
    return ""


def expect(error, part):
    assert part in error, (part, error)


for heading, most_files in MOST_FILES.items():
    assert outcome(PAGE, heading) == "", heading
    expect(outcome(PAGE, heading, most_files - 1), f"touches {most_files} files, not 1 to {most_files - 1}")
    expect(outcome(PAGE, heading + "s", 1), "no section")
    expect(outcome(PAGE.replace("recipe: ", "recipes: "), heading), "touches 0 files")
expect(outcome(PAGE.replace("issue_policy/fewest_issued.hpp -->", "issue_policy/greedy.hpp -->"), "A warp scheduler"), "is there already")
for heading, line in {"A warp scheduler": '"models/policy/choice.hpp"', "An operator": '"scale_bias"', "A shape of MMA": "{16, {16, 8, 16}, kAmpere}"}.items():
    assert line in overlay.section(PAGE, heading)
    expect(outcome(PAGE.replace(line, "other"), heading), "the patch does not apply")
