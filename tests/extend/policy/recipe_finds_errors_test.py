"""Plants mistakes in recipes for policies and expects recipe_test to find each of them before it compiles anything.

usage: recipe_finds_errors_test.py ROOT
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
import recipe_test  # noqa: E402

ROOT = pathlib.Path(sys.argv[1])
PAGE = (ROOT / "docs/extend.md").read_text(encoding="utf-8")


def outcome(page, heading):
    with tempfile.TemporaryDirectory() as folder:
        try:
            recipe_test.apply(recipe_test.section(page, heading), ROOT, pathlib.Path(folder))
        except recipe_test.RecipeError as error:
            return str(error)
    return ""


def expect(page, heading, part):
    error = outcome(page, heading)
    assert part and part in error, (heading, part, error)


for heading in ("A warp scheduler", "A replacement policy", "A DRAM scheduling policy", "A CTA placement"):
    assert outcome(PAGE, heading) == "", heading
    expect(PAGE, heading + "s", "no section")
    expect(PAGE.replace("recipe: ", "recipes: "), heading, "touches 0 files")
expect(PAGE.replace("issue_policy/fewest_issued.hpp -->", "issue_policy/greedy.hpp -->"), "A warp scheduler", "is there already")
expect(PAGE.replace(" #include \"models/policy/choice.hpp\"\n", " #include \"models/choice.hpp\"\n"), "A warp scheduler",
       "the patch does not apply")
expect(PAGE.replace("## A replacement policy\n", "## A replacement policy\n<!-- recipe: file a.hpp -->\n```cpp\n```\n"),
       "A replacement policy", "touches 3 files")
