#!/usr/bin/env python3
"""scripts/gpu/library_kernels.py without a GPU: names of kernels, traces, lists of calls, mistakes.

usage: library_kernels_test.py REPOSITORY
"""
import csv
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts/gpu"))

# pylint: disable=wrong-import-position
from torch_library import case as library_case  # noqa: E402
from torch_library import kernel_name, table, trace  # noqa: E402
from torch_library.case import Case  # noqa: E402

MARKER = "spin_kernel(long)"
GEMM = Case("gemm", "bf16", "fp32", "m=16;n=6144;k=4096;layout=NT")


class Names(unittest.TestCase):
    def check(self, name, **expected):
        with self.subTest(name):
            found = kernel_name.parse(name)
            self.assertEqual({key: value for key, value in found.items() if value}, expected)

    def test_nvjet(self):
        self.check("nvjet_hsh_320x128_64x3_1x2_h_bz_coopB_NNN", family="nvjet", cta_m="320", cta_n="128", cta_k="64",
                   stages="3", cluster="1x2")
        self.check("nvjet_sm90_tst_64x8_64x16_4x1_v_bz_splitK_TNT", family="nvjet", cta_m="64", cta_n="8", cta_k="64",
                   stages="16", cluster="4x1", split_k=">1")

    def test_xmma(self):
        self.check("sm80_xmma_fprop_implicit_gemm_f16f16_f16f16_f16_nhwc_tilesize256x64x32_stage3_warpsize4x1x1",
                   family="sm80_xmma", cta_m="256", cta_n="64", cta_k="32", stages="3")
        self.check("sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1_execute_segment_k_off",
                   family="sm90_xmma", cta_m="64", cta_n="64", cta_k="64")

    def test_cutlass(self):
        self.check("void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_64x64_64x6_tn_align8>(Params)",
                   family="cutlass_80_tensorop", cta_m="64", cta_n="64", cta_k="64", stages="6")
        self.check("cutlass3x_sm90_tensorop_s64x128x32gemm_e4m3_e4m3_f32_bf16_bf16_128x128x128_2x1x1_0_tnn_align16",
                   family="cutlass3x_sm90_tensorop", cta_m="128", cta_n="128", cta_k="128", cluster="2x1")

    def test_names_by_architecture_have_their_tile_before_their_stages(self):
        self.check("ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_32x5_tn", family="ampere", cta_m="128",
                   cta_n="64", cta_k="32", stages="5")
        self.check("volta_h884gemm_128x256_ldg8_nn", family="volta", cta_m="128", cta_n="256")

    def test_attention(self):
        self.check("cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1_cga1x1x1_k0",
                   family="cudnn_sdpa", cta_m="64", cta_n="128", cta_k="128", cluster="1x1")
        self.check("void pytorch_flash::flash_fwd_splitkv_kernel<Flash_fwd_kernel_traits<64, 128, 256, 4> >()",
                   family="flash_attn2", cta_m="128", cta_n="256", cta_k="64")

    def test_what_it_does_not_know_stays_empty(self):
        self.check("void a_kernel_of_ours<128, 64>(float*)")


def kernel(name, start, time_us, grid=(8, 1, 1)):
    return {"ph": "X", "cat": "kernel", "name": name, "ts": start, "dur": time_us,
            "args": {"grid": list(grid), "block": [384, 1, 1], "registers per thread": 168, "shared memory": 4096}}


def trace_of(calls, warm, cold):
    """Events of one case whose call launches `calls` (name, time warm, time cold), in the order of time."""
    events = [kernel(MARKER, 0, 1)]
    for _ in range(warm):
        events += [kernel(name, 0, time_us) for name, time_us, _ in calls]
    for _ in range(cold):
        events += [kernel(MARKER, 0, 1), kernel("fill", 0, 90), kernel(MARKER, 0, 1)]
        events += [kernel(name, 0, time_us) for name, _, time_us in calls]
    events.append(kernel(MARKER, 0, 1))
    return events


class Traces(unittest.TestCase):
    plan = trace.Plan(warm_up=2, warm=5, cold=3)

    def read(self, events):
        """What trace.read makes of `events`, which are written out of order and beside events of the host."""
        for position, event in enumerate(events):
            event["ts"] = 100.0 + 5 * position
        others = [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 1, "dur": 2},
                  {"ph": "M", "name": "process_name"}]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trace.json"
            path.write_text(json.dumps({"traceEvents": others + events[::-1]}))
            return trace.read(path)

    def test_each_kernel_goes_to_its_case(self):
        product, sums = "nvjet_tst_64x8_64x16_4x1_v_bz_splitK_TNT", "splitKreduce_kernel"
        first = trace_of([(product, 8.0, 11.0), (sums, 2.0, 3.0)], 7, 3)
        second = trace_of([("other", 4.0, 6.0)], 7, 3)
        between = [kernel("preparation of the second case", 0, 50)]
        dealt = trace.split(self.read(first + between + second), MARKER, [self.plan, self.plan])
        rows = []
        for sections in dealt:
            timed, regular = trace.timed_kernels(sections, self.plan)
            rows += table.rows("H200-SXM-141GB", GEMM, timed, regular)
        self.assertEqual([row["kernel"] for row in rows], [product, sums, "other"])
        self.assertEqual([row["time_us"] for row in rows], ["8.000", "2.000", "4.000"])
        self.assertEqual(rows[0]["notes"], "cold_us=11.000;l2=warm;role=main;order=0;kernels=2;interval_us=10.000")
        self.assertEqual(rows[1]["notes"], "cold_us=3.000;l2=warm;role=other;order=1;kernels=2;interval_us=10.000")
        self.assertEqual([rows[0][column] for column in ("grid", "block", "regs", "smem_bytes", "count")],
                         ["8x1x1", "384x1x1", 168, 4096, 5])
        self.assertEqual(set(rows[0]), set(table.COLUMNS))

    def test_first_calls_may_launch_more(self):
        events = trace_of([("gemm", 4.0, 6.0)], 7, 3)
        events.insert(1, kernel("transform of the weights", 0, 30))
        timed, regular = trace.timed_kernels(trace.split(self.read(events), MARKER, [self.plan])[0], self.plan)
        self.assertTrue(regular)
        self.assertEqual([one.kernel.name for one in timed], ["gemm"])

    def test_calls_that_differ_are_told(self):
        events = trace_of([("gemm", 4.0, 6.0)], 7, 3)
        events[-2]["name"] = "another gemm"
        timed, regular = trace.timed_kernels(trace.split(self.read(events), MARKER, [self.plan])[0], self.plan)
        self.assertFalse(regular)
        self.assertEqual(len(timed[0].warm_us), 7)
        self.assertIn("calls_differ", table.rows("gpu", GEMM, timed, regular)[0]["notes"])

    def test_a_trace_without_all_markers_is_refused(self):
        kernels = self.read(trace_of([("gemm", 4.0, 6.0)], 7, 3)[:-1])
        with self.assertRaisesRegex(ValueError, "7 markers where 8"):
            trace.split(kernels, MARKER, [self.plan])


class Cases(unittest.TestCase):
    def test_operations(self):
        self.assertEqual(GEMM.flops(), 2 * 16 * 6144 * 4096)
        convolution = Case("conv_fwd", "fp16", "fp32", "n=2;c=64;h=56;w=28;k=128;r=3;s=1;stride=2x1;pad=1x0")
        self.assertEqual(convolution.output_size(), (28, 28))
        self.assertEqual(convolution.flops(), 2 * 2 * 28 * 28 * 128 * 64 * 3)
        attention = Case("attention_bwd", "bf16", "fp32", "b=1;heads=2;kvheads=2;seq=64;dim=32;causal=1")
        self.assertEqual(attention.flops(), 4 * 2 * 64 * 64 * 32 // 2 * 5 // 2)

    def run_script(self, name, *arguments):
        return subprocess.run([sys.executable, ROOT / "scripts/gpu" / name, *arguments], capture_output=True, text=True,
                              check=False)

    def test_lists_begin_with_the_calls_of_tables_and_hold_each_once(self):
        with tempfile.TemporaryDirectory() as folder:
            measured, out = pathlib.Path(folder) / "table.csv", pathlib.Path(folder) / "cases.csv"
            measured.write_text("gpu,op,dtype_in,dtype_acc,params,time_us\n"
                                "X,gemm,fp16,fp16,m=35;n=8;k=24;layout=TT;blas=NN,9\n"
                                "X,gemm,fp16,fp16,m=35;n=8;k=24;layout=TT,9\n"
                                "X,attention_fwd,bf16,fp32,b=1;heads=2;kvheads=2;seq=64;dim=64;causal=1,9\n")
            result = self.run_script("library_cases.py", "--tables", measured, "--out", out)
            self.assertEqual(result.returncode, 0, result.stderr)
            with out.open(newline="") as file:
                rows = [tuple(row.values()) for row in csv.DictReader(file)]
            self.assertEqual(rows[0], ("gemm", "fp16", "fp16", "m=35;n=8;k=24;layout=TT"))
            self.assertEqual(len(rows), len(set(rows)))
            backends = [case.backend for case in library_case.read(out) if case.op.startswith("attention")]
            self.assertEqual(backends, ["cudnn", "flash"])

    def test_mistakes_end_with_status_2(self):
        with tempfile.TemporaryDirectory() as folder:
            cases, out = pathlib.Path(folder) / "cases.csv", pathlib.Path(folder) / "out.csv"
            cases.write_text("op,dtype_in,dtype_acc,params\ngemm,fp16,fp32,\n")
            result = self.run_script("library_kernels.py", "--cases", cases, "--out", out)
            self.assertEqual(result.returncode, 2)
            self.assertIn("cases.csv:2: a case needs op and params", result.stderr)
            self.assertEqual(self.run_script("library_kernels.py", "--out", out).returncode, 2)

    @unittest.skipIf(importlib.util.find_spec("torch"), "PyTorch is here")
    def test_without_pytorch_it_ends_with_status_3(self):
        with tempfile.TemporaryDirectory() as folder:
            cases = pathlib.Path(folder) / "cases.csv"
            cases.write_text("op,dtype_in,dtype_acc,params\ngemm,fp16,fp32,m=8;n=8;k=8\n")
            result = self.run_script("library_kernels.py", "--cases", cases, "--out", pathlib.Path(folder) / "out.csv")
            self.assertEqual(result.returncode, 3)
            self.assertIn("PyTorch cannot be imported", result.stderr)


if __name__ == "__main__":
    unittest.main()
