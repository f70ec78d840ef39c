"""Plants mistakes in a recipe and expects recipe_test to find each of them.

usage: recipe_finds_errors_test.py TCSIM ROOT
"""
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True
import recipe_test  # noqa: E402

TCSIM, ROOT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()


def outcome(text, heading="One"):
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "extend.md"
        page.write_text(text)
        return recipe_test.run_recipe(TCSIM, ROOT, page, heading)


def accept(text, count):
    errors, ran = outcome(text)
    assert not errors and ran == count, (text, errors, ran)


def expect(text, part):
    errors, _ = outcome(text)
    assert any(part in error for error in errors), (text, errors)


# Blocks share a folder; what stands in other sections does not run.
accept("## One\n```console\n$ echo 7 > seven\n```\ntext\n```console\n$ cat seven\n7\n```\n## Two\n```console\n$ false\n```\n", 2)
accept("## Zero\n```console\n$ false\n```\n## One\n```console\n$ test -e configs/a100.yaml\n$ false   # status 1\n```\n", 2)
accept("## One\n<!-- recipe: file a/b.txt -->\n```yaml\nx: 1\n```\n```console\n$ cat a/b.txt\nx: 1\n```\n", 1)
accept("## One\n```console\n$ tcsim --version | wc -l\n...\n```\n", 1)
expect("## One\n```console\n$ false\n```\n", "extend.md:3: status 1: false")
expect("## One\n```console\n$ true   # status 1\n```\n", "status 0")
expect("## One\n```console\n$ seq 3\n1\n3\n2\n```\n", "not printed (any more): 2")
assert outcome("## One\ntext\n") == ([], 0)
