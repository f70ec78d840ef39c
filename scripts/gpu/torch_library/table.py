"""Rows of a table of kernel names, one for each kernel of a call."""
import csv
import os
import statistics

from torch_library import kernel_name, trace

COLUMNS = ("gpu op dtype_in dtype_acc params kernel family cta_m cta_n cta_k stages cluster split_k grid block regs "
           "smem_bytes time_us min_us max_us count source_id notes").split()
RESULTS = {"e4m3": ["out=bf16", "scales=tensor"], "int8": ["out=int32"]}  # where they differ from the operands' type


def rows(gpu, case, timed, regular):
    """`timed` are the kernels of one call of `case` (trace.timed_kernels)."""
    if not timed:
        return []
    main = trace.main_kernel(timed)
    reduced = any(kernel_name.parse(one.kernel.name)["family"] == "splitk_reduce" for one in timed)
    return [_row(gpu, case, one, "main" if one is main else "other", len(timed), regular, reduced) for one in timed]


def _row(gpu, case, one, role, kernels, regular, reduced):
    kernel, parsed = one.kernel, kernel_name.parse(one.kernel.name)
    batched = "batch" in case.words or case.op != "gemm"
    if role == "main" and reduced and not batched and len(kernel.grid) == 3 and kernel.grid[2] > 1:
        parsed["split_k"] = str(kernel.grid[2])
    notes = [f"cold_us={_us(statistics.median(one.cold_us))}"] if one.cold_us else []
    notes += ["l2=warm", f"role={role}", f"order={one.order}", f"kernels={kernels}"]
    notes += [f"interval_us={_us(one.interval_us)}"] if one.interval_us else []
    notes += [f"backend={case.backend}"] if case.backend else []
    notes += RESULTS.get(case.dtype_in, []) if case.op == "gemm" else []
    notes += [] if regular else ["calls_differ"]
    return {"gpu": gpu, "op": case.op, "dtype_in": case.dtype_in, "dtype_acc": case.dtype_acc, "params": case.params,
            "kernel": kernel.name, **parsed, "grid": "x".join(map(str, kernel.grid)),
            "block": "x".join(map(str, kernel.block)), "regs": kernel.registers or "",
            "smem_bytes": kernel.shared_bytes if kernel.grid else "", "time_us": _us(statistics.median(one.warm_us)),
            "min_us": _us(min(one.warm_us)), "max_us": _us(max(one.warm_us)), "count": len(one.warm_us),
            "source_id": "OWN", "notes": ";".join(notes)}


def _us(value):
    return f"{value:.3f}"


class Writer:
    """Appends to a CSV file; what was written is on disk when a function returns."""

    def __init__(self, path, columns):
        self.file = open(path, "w", newline="", encoding="utf-8")  # pylint: disable=consider-using-with
        self.writer = csv.DictWriter(self.file, columns)
        self.writer.writeheader()
        self.write([])

    def write(self, records):
        self.writer.writerows(records)
        self.file.flush()
        os.fsync(self.file.fileno())
