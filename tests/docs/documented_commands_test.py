"""Plants mistakes in documentation and expects documented_commands to find each of them.

usage: documented_commands_test.py TCSIM ROOT
"""
import pathlib
import subprocess
import sys
import tempfile

TCSIM, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])


def outcome(text, *options):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs").mkdir()
        (root / "README.md").write_text(text)
        script = ROOT / "tests/docs/documented_commands.py"
        done = subprocess.run([script, TCSIM, root, *options], capture_output=True, text=True)
        return done.returncode, done.stdout, (root / "README.md").read_text()


def expect(text, part, *options):
    status, printed, _ = outcome(text, *options)
    assert status == 1 and part in printed, (text, status, printed)


def accept(text, *options):
    status, printed, _ = outcome(text, *options)
    assert status == 0, (text, printed)


accept("```sh\ntcsim peak a100 -f json   # comment\n```\n")
accept("```console\n$ tcsim sweep status s | head -3 && tcsim check x.yaml\n```\n")
expect("```\ntcsim peak a100\n```\n", "README.md:2: commands without a language")
expect("```sh\ntcsim peak a100 --fromat=json\n```\n", "'tcsim peak' has no option --fromat")
expect("```sh\ntcsim sweep run s.yaml --shard 0/2\n```\n", "'tcsim sweep run' has no option --shard")
expect("```sh\nscripts/no_such_script\n```\n", "no file scripts/no_such_script")

accept("```sh\ntrue\n```\n", "--run")
expect("```sh\nfalse\n```\n", "status 1: false", "--run")
accept("```sh\nfalse   # status 1\n```\n", "--run")
accept("<!-- commands: not run: no reason -->\n\n```sh\nfalse\n```\n", "--run")
accept("<!-- commands: slow -->\n```sh\nfalse\n```\n", "--run")
expect("<!-- commands: slow -->\n```sh\nfalse\n```\n", "status 1", "--run", "--slow")
accept("```sh\nfalse\n```\n", "--run", "--slow")
expect("<!-- commands: slow -->\ntext between\n```sh\nfalse\n```\n", "status 1", "--run")
accept("<!-- commands: setup: echo 7 > seven -->\n```console\n$ cat seven\n7\n```\n", "--run")
accept("```console\n$ seq 9\n2\n...\n8\n```\n", "--run")
expect("```console\n$ seq 9\n8\n2\n```\n", "not printed (any more): 2", "--run")

status, _, updated = outcome("```console\n$ seq 2\n7\n$ echo x\n```\n", "--run", "--update")
assert status == 0 and updated == "```console\n$ seq 2\n1\n2\n$ echo x\n```\n", updated
