#!/usr/bin/env python3
"""Records which kernels PyTorch's libraries (cuBLAS, cuDNN, FlashAttention) launch for a list of calls on this GPU.

usage: scripts/gpu/library_kernels.py --cases CASES.csv --out KERNELS.csv [--seconds 200] [--skip N]
       scripts/gpu/library_kernels.py --sustained CASES.csv --out POWER.csv [--seconds 60]

Needs PyTorch with CUDA, and nvidia-ml-py for --sustained; nothing on the GPU is changed.

CASES.csv has the columns op,dtype_in,dtype_acc,params of the tables of measurements; further columns are ignored:
  gemm            m=80;n=65536;k=32;layout=NT, also batch=, bias=1; fp16, bf16, tf32, fp32, int8, e4m3 (NT only)
  conv_fwd, conv_dgrad, conv_wgrad    n=256;c=64;h=56;w=56;k=64;r=3;s=3;stride=1;pad=1 in NHWC; fp16, bf16, tf32
  attention_fwd, attention_bwd        b=1;heads=24;kvheads=8;seq=2048;dim=128;causal=1, by cuDNN and by FlashAttention
  softmax, layernorm, gelu, add, copy rows=4096;cols=4096
scripts/gpu/library_cases.py writes lists.

--cases: each call is made twice, then --warm times, then --cold times, each after 256 MiB are written; long calls are
made fewer times. KERNELS.csv has a row for each kernel of a call: full name, what the name states about tile, stages and cluster
(cta_m, cta_n are the two numbers in the name: cuBLAS names are column-major, so the first spans n), grid, block,
registers, shared memory, and the profiler's time: median, least and greatest of the warm calls, median of the cold calls
(notes: cold_us) and the time between starts of warm calls (interval_us; if less than time_us, launches overlap). role=main
is the kernel that takes longest; order counts the kernels of a call from 0.

--sustained: each call is repeated for --each seconds with operands of zeros, of normal numbers and of whole numbers
from -3 to 3; sensors are read every 20 ms. POWER.csv has the time per call, and the clocks, power, temperature and active limits
(NVML's bits) of the second half. The first row is idle, the second copies 2 GiB.

Rows are written batch by batch. A call that fails prints the reason in a line, and the rest continue. Statuses: 0 done or out
of time, 2 mistake, 3 no GPU or no PyTorch, 4 the device or its profiler stopped answering and the last line states how to
continue, 5 cannot write.
"""
import argparse
import sys
import time

from torch_library import case as library_case
from torch_library import table

TABLE_NAMES = (("H200", "H200-SXM-141GB"), ("H100 80GB HBM3", "H100-SXM5-80GB"), ("H100 PCIe", "H100-PCIE-80GB"),
               ("A100-SXM4-80GB", "A100-SXM4-80GB"), ("A100-SXM4-40GB", "A100-SXM4-40GB"))
SMALLEST_BATCH = 10  # a batch whose trace is unusable is halved and run again, down to this size


def say(text):
    print(f"library_kernels: {text}", file=sys.stderr, flush=True)


def table_name(device_name):
    """The name of a GPU in the tables of measurements."""
    for part, name in TABLE_NAMES:
        if part in device_name:
            return name
    return device_name.removeprefix("NVIDIA ").replace(" ", "-")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--cases", help="list of calls whose kernels are recorded")
    what.add_argument("--sustained", help="list of calls that are repeated while the sensors are read")
    parser.add_argument("--out", required=True, help="CSV file to write")
    parser.add_argument("--seconds", type=float, default=200, help="no case starts later than this (default 200)")
    parser.add_argument("--warm", type=int, default=5, help="calls with a warm L2 (default 5)")
    parser.add_argument("--cold", type=int, default=3, help="calls after a flush of the L2 (default 3)")
    parser.add_argument("--batch", type=int, default=150, help="cases of one trace (default 150)")
    parser.add_argument("--skip", type=int, default=0, help="cases to skip")
    parser.add_argument("--each", type=float, default=1.2, help="seconds of one repeated call (default 1.2)")
    options = parser.parse_args()
    if min(options.warm, options.batch, options.cold) < 1 or options.skip < 0:
        parser.error("--warm, --cold and --batch are from 1 up, --skip from 0 up")
    return options


def import_torch():
    """PyTorch, or None with a message."""
    try:
        import torch  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        say(f"PyTorch cannot be imported: {error}")
        return None
    if not torch.cuda.is_available():
        say("PyTorch sees no NVIDIA GPU")
        return None
    torch.manual_seed(1)
    say(f"{torch.cuda.get_device_name(0)}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}, "
        f"cuDNN {torch.backends.cudnn.version()}")
    return torch


def rows_of(gpu, case, timed, regular):
    try:
        return table.rows(gpu, case, timed, regular)
    except Exception as error:  # pylint: disable=broad-exception-caught
        say(f"{case.op} {case.params}: no row: {error!r}")  # one failure must not lose the other cases of a run on a lent GPU
        return []


def record(cases, options, gpu):
    """Writes the kernels of `cases`; the exit status."""
    from torch_library import record as recording  # pylint: disable=import-outside-toplevel
    begin = time.monotonic()
    writer = table.Writer(options.out, table.COLUMNS)
    recorder = recording.Recorder(options.warm, options.cold)
    position = recorded = 0
    size = options.batch
    while position < len(cases) and time.monotonic() - begin < options.seconds:
        try:
            done, tried = recorder.batch(cases[position:position + size],
                                         lambda: time.monotonic() - begin < options.seconds)
        except recording.DeviceLost as error:
            say(f"the device stopped answering: {error}; "
                f"go on with --skip {options.skip + position + size} and another --out")
            return 4
        if done is None and size > SMALLEST_BATCH:
            size //= 2
            continue
        done = done or []
        size = min(options.batch, 2 * size)
        position += tried
        recorded += len(done)
        writer.write(row for entry in done for row in rows_of(gpu, *entry))
        say(f"{recorded} of {position} cases recorded, {len(cases)} in all, {time.monotonic() - begin:.0f} s")
    return 0


def sustain(cases, options, gpu):
    """Writes clock and power under each of `cases`; the exit status."""
    from torch_library import sustained  # pylint: disable=import-outside-toplevel
    begin = time.monotonic()
    writer = table.Writer(options.out, sustained.COLUMNS)
    for name, measure in sustained.measurements(gpu, cases, options.each):
        if time.monotonic() - begin >= options.seconds:
            say(f"time is over before {name}")
            break
        try:
            writer.write([measure()])
        except Exception as error:  # pylint: disable=broad-exception-caught
            say(f"{name}: {str(error).splitlines()[:1]}")
    return 0


def main():
    options = parse_options()
    try:
        cases = library_case.read(options.cases or options.sustained)[options.skip:]
    except (OSError, ValueError) as error:
        say(error)
        return 2
    torch = import_torch()
    if torch is None:
        return 3
    gpu = table_name(torch.cuda.get_device_name(0))
    try:
        return record(cases, options, gpu) if options.cases else sustain(cases, options, gpu)
    except ImportError as error:
        say(f"--sustained needs nvidia-ml-py: {error}")
        return 3
    except RuntimeError as error:
        say(error)
        return 4
    except OSError as error:
        say(error)
        return 5


if __name__ == "__main__":
    sys.exit(main())
