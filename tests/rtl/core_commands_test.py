"""What `tcsim rtl build`, `verify rtl -m` and `--tensor-core rtl` refuse and find: core_commands_test.py TCSIM FOLDER"""
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tensor_core"))
from made_up_cores import CORES, machine_of  # noqa: E402

TCSIM, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
CACHE = FOLDER / "cache"
# Of one MMA, so that it builds in seconds, with an arithmetic of its own.
SMALL = ["--set", "sm.tensor.core=2x2x4", "--set", "numerics.fp16.products=4", "--set", "numerics.fp16.grid_fraction_bits=12"]


def tcsim(status, *words, **environment):
    done = subprocess.run([TCSIM, *words], capture_output=True, text=True,
                          env={**os.environ, "TCSIM_CACHE": str(CACHE), **environment})
    assert done.returncode == status, f"tcsim {' '.join(words)}: {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout + done.stderr


def expect(text, *parts):
    for part in parts:
        assert part in text, f"no '{part}' in\n{text}"


def small_machine():
    path = FOLDER / "small.yaml"
    path.write_text(machine_of("small", {"set": {"core": "2x2x4"}, "instructions": ["MMA.M8N8K8.F32.F16"]}))
    return str(path)


def refuses_what_cannot_be_built(machine):
    expect(tcsim(3, "rtl", "build", machine), "a pass of 2x2x4 has 4 fp16 products, but 8 join a sum at once",
           "numerics.fp16.products")
    expect(tcsim(3, "rtl", "build", machine, "--set", "sm.tensor.core=16x16x16", "--set",
                 "sm.tensor.cores_per_sub_core=4"), "RTL is built up to", "sm.tensor.core")
    expect(tcsim(3, "rtl", "build", machine, *SMALL, "--set", "numerics.block_order=descending"), "numerics.block_order")
    expect(tcsim(3, "rtl", "build", machine, *SMALL, "--set", "sm.tensor.organisation=outer_product"),
           "sm.tensor.fill_cycles")
    expect(tcsim(3, "rtl", "build", "v100"), "no MMA of it has RTL", "4x4x4")
    only = FOLDER / "fp64.yaml"
    only.write_text(machine_of("fp64", {"set": {}, "instructions": ["MMA.M8N8K4.F64.F64"]}))
    expect(tcsim(3, "rtl", "build", str(only)), "fp64, fp8, int4 and b1 have no RTL")
    expect(tcsim(3, "run", "gemm:16", "-m", machine, "--tensor-core", "rtl", "--no-files"), "numerics.fp16.products")


def names_missing_tools(machine):
    expect(tcsim(5, "rtl", "build", machine, *SMALL, PATH=""), "install the package verilator")
    tools = FOLDER / "tools"
    tools.mkdir(exist_ok=True)
    verilator = tools / "verilator"
    if not verilator.exists():
        verilator.symlink_to(shutil.which("verilator"))
    expect(tcsim(5, "rtl", "build", machine, *SMALL, PATH=str(tools)), "install the package g++")
    failing = tools / "failing"
    failing.write_text("#!/bin/sh\n[ \"$1\" = --version ] && exit 0\necho no such thing >&2\nexit 3\n")
    failing.chmod(0o755)
    expect(tcsim(5, "rtl", "build", machine, *SMALL, CXX=str(failing)), "status 3", "no such thing")
    expect(tcsim(2, "rtl", "build"), "MACHINE")
    expect(tcsim(2, "verify", "rtl", "-m", machine, "--unit", "4x4x4"), "-m compares all")
    expect(tcsim(2, "verify", "rtl", "--set", "sm.tensor.core=2x2x4"), "name it with -m")


def builds_once(machine):
    command = [TCSIM, "rtl", "build", machine, *SMALL, "-f", "json"]
    environment = {**os.environ, "TCSIM_CACHE": str(CACHE)}
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(2)]
    reports = [json.loads(process.communicate()[0]) for process in both]
    assert reports[0]["folder"] == reports[1]["folder"]
    assert json.loads(tcsim(0, *command[1:]))["built_before"]
    assert not list((CACHE / "rtl").glob("building-*"))
    return pathlib.Path(reports[0]["folder"])


def leaves_nothing_when_interrupted(*command):
    process = subprocess.Popen([TCSIM, *command, *SMALL, "--set", "sm.tensor.pipeline_cycles=2"],
                               stderr=subprocess.PIPE, text=True, env={**os.environ, "TCSIM_CACHE": str(CACHE)})
    while not list((CACHE / "rtl").glob("building-*")):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    errors = process.communicate()[1]
    assert process.returncode == 130, process.returncode
    expect(errors, "building the RTL was interrupted")
    assert not list((CACHE / "rtl").glob("building-*"))


def expect_replay(found):
    """The command below a divergence computes the model's side, with the arithmetic of the machine."""
    line = next(line for line in found.splitlines() if line.startswith("    tcsim mma "))
    wanted = found.split("model d ")[1].split()[0]
    expect(tcsim(0, *shlex.split(line)[1:]), f"D = {wanted} = ")


def takes_modules(machine, built):
    """--rtl: a module in the place of the one in rtl/, by its name. Where the build with a faulty one lies."""
    sound = (pathlib.Path(__file__).parent.parent.parent / "rtl/align.sv").read_text()
    folder = FOLDER / "modules"
    folder.mkdir(exist_ok=True)
    own = folder / "align.sv"
    own.write_text(sound)
    command = ["rtl", "build", machine, *SMALL, "--rtl", str(own)]
    report = json.loads(tcsim(0, *command, "-f", "json"))
    assert report["folder"] == str(built) and report["own_modules"] == ["align.sv"], report
    changed = sound.replace("maximum_i - exponent_i;", "maximum_i - exponent_i + 10'd1;")
    assert changed != sound
    own.write_text(changed)
    found = tcsim(1, "verify", "rtl", "-m", machine, *SMALL, "--vectors", "2000", "--rtl", str(own))
    expect_replay(found)
    expect(found, "stage align", "tcsim mma -m ", "OTHER BITS\n    MMA 0, register 0 of lane 0: rtl ")
    assert "missed: " not in found and "latency" not in found, found  # of runs that stopped there
    faulty = pathlib.Path(json.loads(tcsim(0, *command, "-f", "json"))["folder"])
    expect(tcsim(0, *command), "with another align.sv")
    own.write_text(sound.replace("endmodule", "endmodul"))
    expect(tcsim(2, *command), "--rtl: no RTL that Verilator takes", "align.sv:", "syntax error")
    expect(tcsim(2, *command, "--rtl", str(own)), "there are two of 'align.sv'")
    expect(tcsim(2, *command[:-1], "aling.sv"), "a core has no file 'aling.sv' of rtl/", 'did you mean "align.sv"?')
    expect(tcsim(5, *command[:-1], "nowhere/align.sv"), "nowhere/align.sv")
    expect(tcsim(2, "verify", "rtl", "--rtl", str(own)), "name it with -m")
    return faulty


def finds_other_arithmetic(machine, built, faulty):
    """The libraries of a faulty module in the place of sound ones."""
    command = ["verify", "rtl", "-m", machine, *SMALL, "--vectors", "2000", "-f", "json"]
    tcsim(0, *command)
    for library in ("array.so", "warp.so"):
        shutil.copy(faulty / library, built / library)
    report = json.loads(tcsim(1, *command))
    assert report["reports"][0]["mismatches"] == 1 and report["mmas"][0]["mismatches"] == 1, report
    run = tcsim(1, "run", "gemm:16", "-m", machine, *SMALL, "--set", "sm.tensor.instruction_timing=derived", "--tensor-core",
                "rtl", "--no-files")
    expect(run, "other bits than models/numerics")


def main():
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    machine = small_machine()
    refuses_what_cannot_be_built(machine)
    names_missing_tools(machine)
    built = builds_once(machine)
    leaves_nothing_when_interrupted("rtl", "build", machine)
    leaves_nothing_when_interrupted("verify", "rtl", "-m", machine)
    faulty = takes_modules(machine, built)
    finds_other_arithmetic(machine, built, faulty)


main()
