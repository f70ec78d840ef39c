"""The code of docs/python.md runs and prints what stands below it, and so do the cells of the notebook."""
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.M | re.S)


class Pages(unittest.TestCase):
    def test_the_page_prints_what_it_shows(self):
        blocks = BLOCK.findall((ROOT / "docs/python.md").read_text())
        self.assertGreater(len(blocks), 6)
        program = "".join(code if kind == "python" else "print('%%')\n" for kind, code in blocks)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        printed = done.stdout.split("%%\n")
        self.assertEqual(printed[:-1], [text for kind, text in blocks if kind == "text"])

    def test_the_notebook_gives_its_outputs(self):
        done = subprocess.run([ROOT / "scripts/run_notebook", ROOT / "docs/tcsim.ipynb"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_output_that_moved_is_told(self):
        import json
        import tempfile

        book = json.loads((ROOT / "docs/tcsim.ipynb").read_text())
        code = [cell for cell in book["cells"] if cell["cell_type"] == "code"][:2]
        code[1]["source"] = ["1 + 1"]
        code[1]["outputs"] = [{"output_type": "execute_result", "execution_count": 2, "metadata": {}, "data": {"text/plain": ["3"]}}]
        book["cells"] = code
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "moved.ipynb"
            file.write_text(json.dumps(book))
            done = subprocess.run([ROOT / "scripts/run_notebook", file], capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn("cell 2", done.stderr)
            subprocess.run([ROOT / "scripts/run_notebook", "--update", file], check=True)
            self.assertEqual(subprocess.run([ROOT / "scripts/run_notebook", file]).returncode, 0)


if __name__ == "__main__":
    unittest.main()
