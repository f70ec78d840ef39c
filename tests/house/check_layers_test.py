#!/usr/bin/env python3
"""scripts/check_layers refuses each kind of wrong include in a planted tree.

usage: check_layers_test.py REPOSITORY
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()


def run(root):
    result = subprocess.run([ROOT / "scripts/check_layers", root], capture_output=True, text=True)
    return result.returncode, result.stdout


def run_with(path, line):
    """The outcome for a tree whose only file is `path`, which holds `line`."""
    with tempfile.TemporaryDirectory() as directory:
        file = pathlib.Path(directory) / path
        file.parent.mkdir(parents=True)
        file.write_text(f"#pragma once\n{line}\n")
        return run(directory)


class CheckLayers(unittest.TestCase):
    def test_an_arrow_down_is_accepted(self):
        self.assertEqual(run_with("models/sm/a.hpp", '#include "models/isa/program.hpp"'), (0, ""))

    def test_an_arrow_up_is_refused(self):
        status, text = run_with("models/isa/a.hpp", '#include "models/sm/params.hpp"')
        self.assertEqual(status, 1)
        self.assertEqual(
            text, 'models/isa/a.hpp:2: "models/sm/params.hpp" points up: models/sm stands above models/isa\n'
        )

    def test_a_model_that_includes_sim_is_refused(self):
        status, text = run_with("models/sm/a.cpp", '#include "sim/config/machine.hpp"')
        self.assertEqual(status, 1)
        self.assertIn("points up: sim/config stands above models/sm", text)

    def test_a_neighbour_outside_the_table_is_refused(self):
        status, text = run_with("models/sm/a.cpp", '#include "models/numerics/format.hpp"')
        self.assertEqual(status, 1)
        self.assertIn("models/sm may not include models/numerics", text)

    def test_a_relative_include_is_refused(self):
        status, text = run_with("models/sm/a.cpp", '#include "params.hpp"')
        self.assertEqual(status, 1)
        self.assertIn("not a root-relative include", text)

    def test_a_test_that_shares_a_file_is_refused(self):
        status, text = run_with("tests/a/a_test.cpp", 'const auto file = testing::TempDir() + "x";')
        self.assertEqual(status, 1)
        self.assertIn("tests/a/a_test.cpp:2: a file that other tests share", text)

    def test_printing_past_the_standard_streams_is_refused(self):
        for line in ('fmt::print("x");', 'fmt::print(stderr, "x");', 'std::puts("x");', 'printf("x");'):
            with self.subTest(line):
                status, text = run_with("sim/cli/a.cpp", line)
                self.assertEqual(status, 1)
                self.assertIn("past std::cout and std::cerr", text)

    def test_printing_yaml_and_systemc_are_refused_in_models(self):
        for name in ("iostream", "fmt/format.h", "yaml-cpp/yaml.h", "systemc", "cstdio", "fstream"):
            with self.subTest(name):
                status, text = run_with("models/dram/a.cpp", f"#include <{name}>")
                self.assertEqual(status, 1)
                self.assertIn(f"<{name}> has no place in models/", text)

    def test_systemc_is_refused_outside_its_folder(self):
        status, text = run_with("sim/report/a.cpp", "#include <systemc>")
        self.assertEqual(status, 1)
        self.assertIn("<systemc> belongs in sim/gpu and sim/rtl only", text)
        self.assertEqual(run_with("sim/gpu/a.cpp", "#include <systemc>"), (0, ""))

    def test_a_folder_outside_the_table_is_refused(self):
        status, text = run_with("models/odd/a.cpp", "#include <vector>")
        self.assertEqual(status, 1)
        self.assertIn("folder models/odd is missing from the layer table", text)

    def test_an_empty_tree_is_not_called_good(self):
        with tempfile.TemporaryDirectory() as directory:
            self.assertEqual(run(directory)[0], 1)


if __name__ == "__main__":
    unittest.main()
