#!/usr/bin/env python3
"""docs/architecture.md has the layers of scripts/check_layers; tables of files in READMEs name every file; every test is built.

usage: documents_test.py REPOSITORY
"""
import importlib.machinery
import importlib.util
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()


def layers():
    loader = importlib.machinery.SourceFileLoader("check_layers", str(ROOT / "scripts/check_layers"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_layers", loader))
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module.LAYERS


def pattern_of(word, folder, table):
    """The pattern of check_layers that a word stands for in the row of `folder`: "kernels", "models", "models/stats"."""
    name = word.replace(" ", "_").replace("tensor_files", "tensor_file")
    if name in ("models", "workloads"):
        return name + "/*"
    tops = [folder.split("/")[0], "models", "workloads", "sim"]
    return next((place for place in [name] + [f"{top}/{name}" for top in tops] if place in table), word)


class Documents(unittest.TestCase):
    def test_the_table_of_layers_is_that_of_the_check(self):
        table = layers()
        shown = {}
        for line in (ROOT / "docs/architecture.md").read_text().splitlines():
            row = re.fullmatch(r"\| `((?:models|workloads|sim)/\w+)` \|.*\| ([^|]*) \|", line)
            if row is None:
                continue
            folder, text = row.groups()
            words = re.sub(r" \([^)]*\)|;.*", "", text).split(", ")
            if text == "nothing":
                words = []
            if text == "everything above":
                shown[folder] = {"models/*", "workloads/*", "sim/*"}
            else:
                shown[folder] = {pattern_of(word, folder, table) for word in words}
        self.assertEqual(shown, {folder: set(allowed) for folder, allowed in table.items()})

    def test_tables_of_files_name_every_file(self):
        for readme in (file for top in ("models", "sim", "workloads") for file in (ROOT / top).rglob("README.md")):
            text = readme.read_text()
            if not re.search(r"^\| (file|reading order) \|", text, re.MULTILINE):
                continue
            rows = [line for line in text.splitlines() if line.startswith("| `")]
            named = {word.split(".")[0] for row in rows for word in re.findall(r"`([^`\s]+)`", row)}
            sources = {file.stem for file in readme.parent.glob("*.?pp")}
            with self.subTest(readme=str(readme.relative_to(ROOT))):
                self.assertEqual(sorted(sources - named), [])

    def test_every_test_is_named_in_a_cmake_file(self):
        named = " ".join(file.read_text() for file in (ROOT / "tests").rglob("CMakeLists.txt"))
        self.assertEqual([str(file.relative_to(ROOT)) for file in sorted((ROOT / "tests").rglob("*_test.cpp"))
                          if not re.search(rf"(?<![\w-]){file.name}\b", named)], [])


if __name__ == "__main__":
    unittest.main()
