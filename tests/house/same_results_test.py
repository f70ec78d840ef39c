"""scripts/same_results finds a changed value, a changed status and a changed text, and overlooks what tells of the host."""
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(sys.argv[1]) / "scripts/same_results"


def program(folder, name, text):
    path = folder / name
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def compare(*words):
    return subprocess.run([SCRIPT, *words], capture_output=True, text=True)


with tempfile.TemporaryDirectory() as home:
    folder = pathlib.Path(home)
    (folder / "list").write_text("# a remark\nrun a\nrun b\n")
    before = program(folder, "before", """[ $2 = a ] && echo '{"cycles": 5, "simulation": {"wall_s": 1}}' || echo text\n""")
    host = program(folder, "host", """[ $2 = a ] && echo '{"cycles": 5, "simulation": {"wall_s": 2}}' || echo text\n""")
    value = program(folder, "value", """[ $2 = a ] && echo '{"cycles": 6, "simulation": {"wall_s": 1}}' || echo text\n""")
    status = program(folder, "status", """[ $2 = a ] && echo '{"cycles": 5}' || { echo text; echo why >&2; exit 3; }\n""")

    same = compare(before, host, folder / "list")
    assert same.returncode == 0 and "2 command lines, 0 of them" in same.stdout, same
    moved = compare(before, value, folder / "list")
    assert moved.returncode == 1 and "run a\n  /printed/cycles: 5 -> 6\n" in moved.stdout, moved
    ended = compare(before, status, folder / "list")
    assert ended.returncode == 1 and "/status: 0 -> 3" in ended.stdout and "'why'" in ended.stdout, ended
    assert compare(before, host, folder / "none").returncode == 2
    assert compare(folder / "none", host, folder / "list").returncode == 2
    empty = compare(program(folder, "null", """echo '{"x": null, "y": []}'\n"""), program(folder, "less", "echo '{}'\n"), folder / "list")
    assert empty.returncode == 1 and "2 of them" in empty.stdout, empty
