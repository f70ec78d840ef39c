#!/usr/bin/env python3
"""libtcsim exports its own interface and nothing of the libraries inside it.

usage: exports_test.py NM LIBTCSIM
"""
import re
import subprocess
import sys
import unittest

NM, LIBRARY = sys.argv.pop(1), sys.argv.pop(1)


def exported():
    """The names that other programs can link to, in words of C++."""
    listing = subprocess.run([NM, "-D", "-C", "--defined-only", LIBRARY], capture_output=True, text=True, check=True)
    return [line.split(maxsplit=2)[2] for line in listing.stdout.splitlines()]


class Exports(unittest.TestCase):
    def test_every_name_is_of_tcsim_or_wanted_by_systemc(self):
        ours = re.compile(r"((typeinfo|typeinfo name|vtable) for )?tcsim::|sc_main\b")
        self.assertEqual([name for name in exported() if not ours.match(name)], [])

    def test_functions_and_errors_are_among_them(self):
        names = exported()
        self.assertTrue(any(name.startswith("tcsim::simulate(") for name in names), names)
        for error in ("UsageError", "NotCovered", "IoError", "InternalError"):
            self.assertIn(f"typeinfo for tcsim::{error}", names)


if __name__ == "__main__":
    unittest.main()
