"""How scripts run tcsim: the option that names it, its answers, and where tables are written."""
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def add_option(parser):
    parser.add_argument("--tcsim", "--program", default=str(ROOT / "build/release/sim/cli/tcsim"), metavar="FILE")


def run(tcsim, *words, **how):
    """Runs the program with `words`; `how` as for subprocess.run. Ends the script if the program does not exist."""
    try:
        return subprocess.run([tcsim, *words], text=True, check=False, **how)
    except FileNotFoundError:
        sys.exit(f"{tcsim}: no such file; build it or name another by --tcsim")


def json_of(tcsim, *words, **how):
    """Its JSON answer. Ends the script if it fails."""
    done = run(tcsim, *words, "-f", "json", capture_output=True, **how)
    if done.returncode != 0:
        sys.exit(f"tcsim {' '.join(map(str, words))}: status {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def put_between(page, begin, end, text):
    """Puts `text` into the file `page`, between the lines `begin` and `end`."""
    old = page.read_text()
    page.write_text(old[:old.index(begin) + len(begin)] + text + old[old.index(end):])
