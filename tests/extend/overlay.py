"""The source files that a recipe of docs/extend.md writes and patches, in a folder that is searched before the tree.

Behind a comment <!-- recipe: file PATH --> stands a block that becomes PATH, behind <!-- recipe: patch --> one that `patch
-p1` applies; <!-- recipe: at most N files --> says of how many. What has a name without a folder is input of the recipe's commands and no file of the tree.
"""
import re
import subprocess

MARK = re.compile(r"<!-- recipe: (?:file (?P<file>\S+)|patch) -->\n```\w*\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
MOST = re.compile(r"<!-- recipe: at most (\d+) files -->")
PATCHED = re.compile(r"^--- a/(\S+)$", re.MULTILINE)


class RecipeError(Exception):
    pass


def section(page, heading):
    parts = re.split(r"^## (.*)$", page, flags=re.MULTILINE)
    found = dict(zip(parts[1::2], parts[2::2])).get(heading)
    if found is None:
        raise RecipeError(f"no section '## {heading}'")
    return found


def apply(recipe, root, folder):
    """Writes and patches the files of `recipe` below `folder`; returns their paths, each once."""
    paths = []
    for block in MARK.finditer(recipe):
        if block["file"] and "/" not in block["file"]:
            continue
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
    paths = list(dict.fromkeys(paths))
    most = MOST.search(recipe)
    if not most or not 0 < len(paths) <= int(most[1]):
        raise RecipeError(f"touches {len(paths)} files, not 1 to {most[1] if most else 'any number told'}: {paths}")
    return paths
