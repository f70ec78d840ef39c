"""The package is typed: its stub has what the module has, every public function says its types."""
import ast
import inspect
import pathlib
import unittest

import tcsim
from tcsim import _tcsim

FOLDER = pathlib.Path(tcsim.__file__).parent


class Package(unittest.TestCase):
    def test_the_stub_names_what_the_module_has(self):
        tree = ast.parse((FOLDER / "_tcsim.pyi").read_text())
        named = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self.assertEqual(named, {name for name in dir(_tcsim) if not name.startswith("_")})
        (progress,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        members = {node.name for node in progress.body if isinstance(node, ast.FunctionDef)}
        self.assertEqual(members, {name for name in dir(_tcsim.Progress) if not name.startswith("_")})
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                said = getattr(_tcsim, node.name).__doc__.splitlines()[0]
                self.assertEqual(said.count(": "), len(node.args.args), said)

    def test_everything_public_is_there_and_typed(self):
        self.assertTrue((FOLDER / "py.typed").is_file())
        for name in tcsim.__all__:
            value = getattr(tcsim, name)
            if inspect.isfunction(value):
                parameters = inspect.signature(value).parameters.values()
                self.assertTrue(all(one.annotation is not one.empty for one in parameters), name)
                self.assertIn("return", value.__annotations__, name)

    def test_importing_needs_neither_pandas_nor_numpy(self):
        import subprocess
        import sys

        program = "import sys, tcsim; print(sorted({'numpy', 'pandas'} & set(sys.modules)))"
        self.assertEqual(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout, "[]\n")


if __name__ == "__main__":
    unittest.main()
