"""Runs made-up tensor cores: cores_test.py TCSIM ROOT FOLDER [NAME...]

Each core of cores.yaml takes the place of lab-tiny's. Products of every type and layout, ragged ones among them, a
convolution and attention compute what the reference of the machine's arithmetic does, element by element, and a loop of
independent MMAs takes the time that `tcsim machine explain` derives, within 1 %.
"""
import json
import pathlib
import subprocess
import sys

from made_up_cores import CORES, machine_of

TCSIM, ROOT, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
PRODUCTS = [
    "gemm:m=48,n=40,k=80",
    "gemm:m=72,n=136,k=56,layout=tt",
    "gemm:m=64,n=64,k=64,layout=nn,acc=fp16,out=fp16",
    "gemm:m=36,n=68,k=96,layout=tn,dtype=bf16",
    "gemm:m=48,n=40,k=80,layout=tn,dtype=tf32",
    "gemm:m=64,n=72,k=48,dtype=int8,acc=int32,out=int32",
]
OTHERS = ["conv:n=1,hw=8,c=16,k=24,rs=3,pad=1", "attn:heads=1,n=64,d=32"]


def tcsim(*words):
    done = subprocess.run([TCSIM, *words], capture_output=True, text=True)
    assert done.returncode == 0, f"tcsim {' '.join(words)}: status {done.returncode}\n{done.stderr}"
    return done.stdout


def check_values(machine, workload):
    run = json.loads(tcsim("run", workload, "-m", machine, "--values", "-f", "json", "--no-files", "-q"))
    values = run["values"]
    # Products are compared with the reference's bits, the others with their definition.
    wrong = values["differences_from_reference"] if "differences_from_reference" in values else sum(
        result["elements_beyond_bound"] for result in values["results"].values())
    assert wrong == 0 and values["racing_bytes"] == 0, f"{machine}: {workload}: {wrong} elements differ"


def check_time(machine, mnemonic):
    derived = json.loads(tcsim("machine", "explain", "sm.tensor", mnemonic, "-m", machine, "-f", "json"))[0]
    table = FOLDER / "loop.csv"
    expected = derived["sustained_interval_cycles"]
    table.write_text(f"suite,test,published,unit,set,source\nmma,{mnemonic} warps=4 ilp=8,{expected},cycles/instruction,,derived\n")
    row = json.loads(tcsim("microbench", machine, "--table", str(table), "-f", "json"))["rows"][0]
    measured = row["model"]
    assert abs(measured - expected) <= 0.01 * expected, f"{machine}: {mnemonic}: {measured} cycles, derived {expected}"


def main():
    for name in sys.argv[4:] or CORES:
        path = FOLDER / f"{name}.yaml"
        path.write_text(machine_of(name, CORES[name]))
        tcsim("check", str(path))
        for workload in PRODUCTS + OTHERS:
            check_values(str(path), workload)
        for mnemonic in CORES[name]["instructions"]:
            check_time(str(path), mnemonic)
        print(f"{name}: {len(PRODUCTS + OTHERS)} workloads, {len(CORES[name]['instructions'])} loops")


main()
