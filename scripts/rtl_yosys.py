"""Runs modules of rtl/ through yosys: gates, flip-flops and depth. For scripts/rtl_synthesis and scripts/core_cells."""
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
RTL = ROOT / "rtl"


class Failed(Exception):
    """yosys or a synthesis failed; holds the end of the output."""


def sources():
    return [RTL / "mma_pkg.sv", *sorted(path for path in RTL.glob("*.sv") if path.name != "mma_pkg.sv")]


def literal(value):
    """A Verilog constant; yosys reads no minus sign here."""
    return str(value) if value >= 0 else f"32'sh{value & 0xFFFFFFFF:08x}"


def parameters_of(module):
    """The names of its parameters."""
    return set(re.findall(r"^\s*parameter\s+\w+\s+(?:\[.*?\]\s*)?(\w+)\s*=", (RTL / f"{module}.sv").read_text(), re.M))


def synthesise(top, parameters, flatten=True):
    """(gates, flip-flops, depth): gates of yosys' generic library after `synth` and `abc`, longest path between registers."""
    settings = " ".join(f"-chparam {name} {literal(value)}" for name, value in parameters.items())
    flat = "-flatten" if flatten else ""
    script = (f"read_verilog -sv -DSYNTHESIS {' '.join(map(str, sources()))}; hierarchy -check -top {top} {settings};"
              f" synth {flat} -run begin:fine; select -assert-none t:$dlatch t:$_DLATCH_*; synth {flat} -run fine:;"
              f" abc -fast -g simple,MUX; opt_clean; check -assert; tee -o /dev/stdout stat -top {top}; tee -o /dev/stdout ltp -noff")
    result = subprocess.run(["yosys", "-q", "-w", "Replacing memory", "-p", script], capture_output=True, text=True)
    if result.returncode != 0:
        raise Failed(f"{top} {parameters}: yosys failed\n{result.stdout[-2000:]}{result.stderr[-2000:]}")
    total = result.stdout.split("design hierarchy")[-1]  # the only module if the design is flat
    counts = {kind: int(count) for kind, count in re.findall(r"\$_(\w+)_\s+(\d+)", total)}
    registers = sum(count for kind, count in counts.items() if "DFF" in kind)
    return sum(counts.values()) - registers, registers, depth(result.stdout)


def depth(text):
    found = re.search(r"length=(\d+)", text)
    return int(found.group(1)) if found else 0


def array_parameters(design):
    """Parameters of mma_array for a design: rows, columns, products by format, blocks, grid, kept, floors (see scripts/core_cells)."""
    float_products = {name: design["products"].get(name, 0) for name in ("fp16", "bf16", "tf32")}
    first = next(name for name, count in float_products.items() if count)
    for name, count in float_products.items():
        if count and count % design["block"][name]:
            raise Failed(f"a pass has {count} {name} products, which are no whole blocks of {design['block'][name]}")
    products = float_products["fp16"] or float_products["bf16"] or 2 * float_products["tf32"]
    blocks = max(count // design["block"][name] for name, count in float_products.items() if count)
    values = {"Rows": design["rows"], "Columns": design["columns"], "Products": products,
              "GridFractionBits": max(design["grid"].values()),
              "ExponentFloorFp32": design["floor"].get("fp16", design["floor"][first]),
              "ExponentFloorFp16": design["floor_fp16_sums"],
              "HasFp16": int(float_products["fp16"] > 0), "HasBf16": int(float_products["bf16"] > 0),
              "HasTf32": int(float_products["tf32"] > 0), "HasInt8": int(design["products"].get("int8", 0) > 0),
              "HasFp16Accumulator": int(design["fp16_sums"]), "Subnormals": int(design["subnormals"])}
    # Parameters that are not set keep the defaults of these modules: one block, one grid, 23 kept bits.
    further = {"PipelineDepth": (4 * blocks + 1, 5), "NearestFp32": (int(design["fp32_nearest"]), 0),
               "NearestFp16": (int(design["fp16_nearest"]), 1)}
    usual = {"bf16": products, "tf32": products // 2, "int8": 2 * products}
    for name, by_default in usual.items():
        if count := design["products"].get(name, 0):
            further[f"{name.capitalize()}Products"] = (count, by_default)
    for name, count in float_products.items():
        if count:
            word = name.capitalize()
            further[f"Block{word}"] = (design["block"][name], count)
            further[f"Grid{word}"] = (design["grid"][name], values["GridFractionBits"])
            further[f"Kept{word}"] = (design["kept"][name], 23)
            if name != "fp16":
                further[f"ExponentFloor{word}"] = (design["floor"][name], values["ExponentFloorFp32"])
    values.update({name: value for name, (value, by_default) in further.items() if value != by_default})
    if lacking := sorted(set(values) - parameters_of("mma_array")):
        raise Failed(f"rtl/mma_array.sv has no parameter {', '.join(lacking)}, which this core needs")
    return values
