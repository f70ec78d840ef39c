"""Installs the library, builds the example of docs/library.md against it and runs it.

usage: install_test.py BUILD ROOT TCSIM
"""
import csv
import pathlib
import re
import subprocess
import sys
import tempfile

BUILD, ROOT, TCSIM = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]


STOPPED = """
#include <iostream>
#include <tcsim/tcsim.hpp>

int main() {
  for (const char* workload : {"gemm:512", "net:lenet"}) {
    int asked = 0;
    const tcsim::Listener listener{{}, [&asked](const tcsim::Progress&) { return ++asked < 3; }};
    const tcsim::Result result = tcsim::simulate({workload, "v100"}, listener);
    std::cout << (result.complete ? "complete" : result.stopped_by) << " " << asked << "\\n";
  }
}
"""


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, (words, done.stdout[-2000:], done.stderr[-4000:])
    return done.stdout


def example(name):
    """The block of the page that follows the name of the file."""
    page = (ROOT / "docs/library.md").read_text()
    found = re.search(rf"`{re.escape(name)}`:\n\n```\w+\n(.*?)```", page, re.S)
    assert found, f"docs/library.md shows no {name}"
    return found.group(1)


with tempfile.TemporaryDirectory() as folder:
    prefix, source, build = (pathlib.Path(folder) / name for name in ("prefix", "source", "build"))
    run("cmake", "--install", BUILD, "--prefix", prefix, "--component", "library")
    installed = sorted(str(path.relative_to(prefix)) for path in prefix.rglob("*.hpp"))
    assert installed == ["include/tcsim/sim/errors/errors.hpp", "include/tcsim/tcsim.hpp"], installed
    assert (prefix / "share/tcsim/configs/a100.yaml").is_file()
    source.mkdir()
    for name in ("CMakeLists.txt", "main.cpp"):
        (source / name).write_text(example(name))
    assert len(example("main.cpp").splitlines()) <= 20
    run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    printed = run(build / "example")
    report = run(TCSIM, "run", "gemm:256", "-m", "v100", "-q", "--no-files", "-f", "csv")
    time_us = float(next(csv.DictReader(report.splitlines()))["time_us"])
    assert f"{time_us:.2f} us" in printed, (time_us, printed)
    assert "no such machine" in printed, printed
    (source / "main.cpp").write_text(STOPPED)
    run("cmake", "--build", build)
    assert run(build / "example") == "interrupted 3\ninterrupted 3\n"
