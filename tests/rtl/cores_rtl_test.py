"""The RTL of made-up tensor cores: cores_rtl_test.py TCSIM FOLDER VECTORS [NAME...]

Each core of tests/tensor_core/cores.yaml is built from its machine file with the arithmetic of its `numerics`. Its array
computes what models/numerics does, stage by stage; every MMA of the machine through the cores of a sub-core gives the same
bits in the interval and latency that are derived; and a product with these cores in the place of the model takes the
cycles of the model.
"""
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tensor_core"))
from made_up_cores import CORES, machine_of  # noqa: E402

TCSIM, FOLDER, VECTORS = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
PRODUCTS = ["gemm:m=64,n=64,k=64", "gemm:m=64,n=64,k=64,layout=tn,dtype=tf32", "gemm:m=64,n=64,k=64,dtype=int8,acc=int32,out=int32"]


def tcsim(*words):
    done = subprocess.run([TCSIM, *words], capture_output=True, text=True)
    assert done.returncode == 0, f"tcsim {' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def check_verification(name, machine):
    report = json.loads(tcsim("verify", "rtl", *machine, "--vectors", VECTORS, "-f", "json"))
    for array in report["reports"]:
        assert array["mismatches"] == 0 and array["vectors"] >= int(VECTORS), (name, array)
    for mma in report["mmas"]:
        assert mma["mismatches"] == 0, (name, mma)
        m, n = map(int, re.match(r"MMA\.M(\d+)N(\d+)K", mma["instruction"]).groups())
        assert mma["vectors"] == m * n * mma["mmas"], (name, mma)
        assert mma["interval_cycles"] == mma["derived_interval_cycles"], (name, mma)
        assert mma["latency_cycles"] == mma["derived_latency_cycles"], (name, mma)
    return len(report["reports"]), len(report["mmas"])


def check_runs(name, machine):
    for product in PRODUCTS:
        run = json.loads(tcsim("run", product, *machine, "--set", "sm.tensor.instruction_timing=derived", "--tensor-core",
                               "rtl", "-f", "json", "--no-files", "-q"))["tensor_core"]
        assert run["wrong_values"] == 0 and run["model_cycles"] == run["rtl_cycles"] > 0, (name, product, run)


def main():
    for name in sys.argv[4:] or CORES:
        path = FOLDER / f"{name}.yaml"
        path.write_text(machine_of(name, CORES[name]))
        machine = ["-m", str(path)]
        for key, value in CORES[name].get("numerics", {}).items():
            machine += ["--set", f"numerics.{key}={value}"]
        built = json.loads(tcsim("rtl", "build", str(path), *machine[2:], "-f", "json"))
        arrays, mmas = check_verification(name, machine)
        check_runs(name, machine)
        print(f"{name}: built in {built['seconds']:.1f} s, {arrays} operations, {mmas} MMAs, {len(PRODUCTS)} runs", flush=True)


main()
