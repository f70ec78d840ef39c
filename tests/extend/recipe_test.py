"""Runs the commands of one recipe of docs/extend.md.

usage: recipe_test.py TCSIM ROOT HEADING

A recipe is the section "## HEADING". Its blocks of `console` run in the order in which they stand, all in one fresh folder
beside the inputs of the tree (configs, docs, ...), with `tcsim` in the path; a command that does not end with status 0, or
with that of a comment "# status N", fails, and so does a line that is shown and not printed ("..." stands for any lines).
A block behind the comment <!-- recipe: file PATH --> is written to PATH in that folder before.
Blocks behind <!-- commands: not run: REASON --> are passed over.
"""
import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parent.parent / "docs")]
sys.dont_write_bytecode = True
import documented_commands  # noqa: E402
import overlay  # noqa: E402


def run_recipe(tcsim, root, page, heading):
    """Errors, each with its place, and the number of commands that ran. Stops behind the first block with an error."""
    text = page.read_text(encoding="utf-8")
    recipe = overlay.section(text, heading)
    first = text[: text.index(recipe)].count("\n") + 1
    count = 0
    with documented_commands.workspace(root) as folder:
        for block in overlay.MARK.finditer(recipe):
            if block["file"]:
                target = folder / block["file"]
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(block["text"], encoding="utf-8")
        for block in documented_commands.blocks_of(page):
            if not first <= block.first <= first + recipe.count("\n") or block.language != "console" or block.mark("not run"):
                continue
            steps = block.steps()
            count += len(steps)
            errors = [error for step in steps for error in documented_commands.run_step(step, tcsim, folder, page.name)[1]]
            if errors:
                return errors, count
    return [], count


def main():
    tcsim, root, heading = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve(), sys.argv[3]
    try:
        errors, count = run_recipe(tcsim, root, root / "docs/extend.md", heading)
    except overlay.RecipeError as error:
        sys.exit(f"docs/extend.md: {error}")
    for error in errors:
        print(error)
    print(f"{heading}: {count} commands, {len(errors)} errors")
    return 1 if errors or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
