#!/usr/bin/env python3
"""Writes lists of library calls for library_kernels.py.

usage: scripts/gpu/library_cases.py [--tables TABLE.csv ...] --out CASES.csv
       scripts/gpu/library_cases.py --sustained --out CASES.csv

The most useful come first: the distinct products, convolutions and about 80 of the attention calls of the measured
--tables (columns op,dtype_in,dtype_acc,params); layers of ResNet-50 at three batch sizes, forward and backward;
operations bound by memory; the linear layers of language models (Llama 2 and 3, GPT-3, Qwen 2.5) for many numbers of
tokens, with both gradients; square products; 500 random shapes, the same in each run. --sustained writes the twelve products
whose power is worth measuring.
"""
import argparse
import csv
import math
import pathlib
import random
import sys

from torch_library import case as library_case
from torch_library.case import Case

RESNET = pathlib.Path(__file__).resolve().parents[2] / "configs/workloads/resnet50_conv.csv"
ATTENTION_CALLS = 80

# n and k of the layers as serving systems fuse them (QKV, output, gate with up, down, vocabulary), from the
# configurations that were published with the models.
LAYERS = (
    (6144, 4096), (4096, 4096), (28672, 4096), (4096, 14336),                       # Llama 3 8B
    (10240, 8192), (8192, 8192), (57344, 8192), (8192, 28672),                      # Llama 2 and 3 70B
    (12288, 4096), (22016, 4096), (4096, 11008),                                    # Llama 2 7B
    (15360, 5120), (5120, 5120), (27648, 5120), (5120, 13824),                      # Llama 2 13B
    (36864, 12288), (12288, 12288), (49152, 12288), (12288, 49152),                 # GPT-3 175B
    (4608, 3584), (3584, 3584), (37888, 3584), (3584, 18944),                       # Qwen 2.5 7B
    (7168, 5120), (55296, 5120), (5120, 27648),                                     # Qwen 2.5 32B
    (128256, 4096),                                                                 # Llama 3 8B, vocabulary
)
TOKENS = (1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192)
ACCUMULATORS = {"int8": "int32"}


def gemm(dtype, m, n, k, layout="NT", acc=None, further=""):
    return Case("gemm", dtype, acc or ACCUMULATORS.get(dtype, "fp32"), f"m={m};n={n};k={k};layout={layout}{further}")


def of_tables(paths):
    """The calls of measured tables: products, convolutions, and a part of the attention calls."""
    products, convolutions, attention = {}, {}, {}
    for path in paths:
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                case = Case(*(row[column] for column in library_case.COLUMNS))
                if case.op == "gemm":
                    products[_plain_gemm(case)] = None
                elif case.op.startswith("conv"):
                    convolutions[case] = None
                elif case.op == "attention_bwd" or case.number("seq", default=1) > 1:
                    attention[case] = None
    attention = [case for case in attention if case.op.startswith("attention") and "window" not in case.words]
    return list(products), list(convolutions), _part(attention, ATTENTION_CALLS)


def _plain_gemm(case):
    """Without the words that state how a table was measured."""
    further = "".join(f";{key}={case.words[key]}" for key in ("batch", "bias") if key in case.words)
    m, n, k = (case.number(key) for key in "mnk")
    return gemm(case.dtype_in, m, n, k, case.words.get("layout", "NT"), case.dtype_acc, further)


def _part(cases, count):
    """About `count` of `cases`, evenly spread, but all backward passes."""
    forward = [case for case in cases if case.op != "attention_bwd"]
    step = max(1, len(forward) // count)
    return forward[::step] + [case for case in cases if case.op == "attention_bwd"]


def resnet():
    with open(RESNET, newline="", encoding="utf-8") as file:
        layers = [row["params"] for row in csv.DictReader(file)]
    for batch in (32, 256, 64):
        for op in ("conv_fwd", "conv_dgrad", "conv_wgrad"):
            for params in dict.fromkeys(layers):
                yield Case(op, "fp16", "fp32", f"n={batch};{params.split(';', 1)[1]}")


def memory_bound():
    for dtype in ("fp16", "fp32"):
        for op in ("softmax", "layernorm", "gelu", "add", "copy"):
            for rows, columns in ((128, 4096), (2048, 1024), (4096, 4096), (8192, 8192), (16384, 16384)):
                yield Case(op, dtype, "fp32", f"rows={rows};cols={columns}")


def linear_layers():
    for tokens in TOKENS:
        for n, k in LAYERS:
            yield gemm("bf16", tokens, n, k)
    for tokens in (16, 128, 1024, 4096):
        for dtype, layers in (("e4m3", LAYERS), ("int8", LAYERS[:8]), ("tf32", LAYERS[:8]), ("fp32", LAYERS[:8])):
            for n, k in layers:
                yield gemm(dtype, tokens, n, k)
    for tokens in (256, 1024, 4096):
        for n, k in LAYERS:
            yield gemm("bf16", tokens, k, n, "NN")  # the gradient of the input
            yield gemm("bf16", n, k, tokens, "TN")  # the gradient of the weights


def squares():
    for layout in ("NN", "NT"):
        for size in (*range(256, 4097, 256), *range(4608, 8193, 512), *range(9216, 16385, 1024)):
            yield gemm("fp16", size, size, size, layout)


def random_shapes(count=500, seed=7):
    numbers = random.Random(seed)
    for _ in range(count):
        m, n, k = (8 * round(math.exp(numbers.uniform(math.log(1), math.log(limit)))) for limit in (2048, 4096, 2048))
        yield gemm("bf16", m, n, k)


def sustained():
    for dtype, size in (("fp16", 2048), ("fp16", 4096), ("fp16", 8192), ("bf16", 8192), ("fp16", 16384), ("e4m3", 8192),
                        ("int8", 8192), ("tf32", 8192), ("fp32", 4096)):
        yield gemm(dtype, size, size, size)
    for tokens in (16, 128, 4096):
        yield gemm("bf16", tokens, 28672, 4096)


def all_cases(tables):
    products, convolutions, attention = of_tables(tables)
    parts = (products, convolutions, resnet(), attention, memory_bound(), linear_layers(), squares(), random_shapes())
    return list(dict.fromkeys(case for part in parts for case in part))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", nargs="*", default=[], help="measured tables whose calls come first")
    parser.add_argument("--sustained", action="store_true", help="the list for library_kernels.py --sustained")
    parser.add_argument("--out", required=True, help="CSV file to write")
    options = parser.parse_args()
    try:
        cases = list(sustained()) if options.sustained else all_cases(options.tables)
        with open(options.out, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(library_case.COLUMNS)
            writer.writerows([getattr(case, column) for column in library_case.COLUMNS] for case in cases)
    except (OSError, KeyError, ValueError) as error:
        print(f"library_cases: {error}", file=sys.stderr)
        return 2
    print(f"{options.out}: {len(cases)} cases")
    return 0


if __name__ == "__main__":
    sys.exit(main())
