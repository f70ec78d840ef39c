"""What tcsim.run answers: the figures of the command line, frames, counters, values, HTML."""
import json
import os
import pathlib
import subprocess
import tempfile
import time
import unittest
import unittest.mock

import numpy
import tcsim


def printed(*words):
    """What the program prints as JSON."""
    command = [os.environ["TCSIM"], "run", *words, "-q", "--no-files", "-f", "json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


class Run(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.result = tcsim.run("gemm:128", machine="lab-tiny", set={"dram.channels": 2}, tile="64x64x32")

    def test_has_the_figures_of_the_command_line(self):
        report = printed("gemm:128", "-m", "lab-tiny", "--set", "dram.channels=2", "--tile", "64x64x32")
        self.assertEqual({**self.result.report, "simulation": 0}, {**report, "simulation": 0})
        self.assertEqual(self.result.time_us, report["time_us"])
        self.assertEqual(self.result.kernels[0].tile, report["kernels"][0]["tile"])

    def test_settings_and_fields_change_the_run(self):
        other = tcsim.run("gemm:128", "lab-tiny", tile="64x64x32")
        self.assertNotEqual(self.result.time_us, other.time_us)
        warm = tcsim.run("gemm:128", "lab-tiny", tile="64x64x32", warm_l2=True)
        self.assertLess(warm.time_us, other.time_us)

    def test_metrics_have_unit_and_formula(self):
        metric = self.result.metrics["tflops"]
        self.assertEqual((metric.unit, metric.formula), ("TFLOPS", "flop / (time_us * 1000000)"))
        frame = self.result.metric_frame()
        self.assertEqual(frame.loc["tflops", "value"], self.result.tflops)
        self.assertEqual(self.result.frame()["time_us"][0], self.result.metric("time_us"))

    def test_counters_are_those_of_the_tree(self):
        frame = self.result.counter_frame()
        reads = frame.loc[("gpu.memory.channel", "reads")]
        tree = self.result.stats["counters"]["gpu"]["children"]["memory"]["children"]["channel"]
        self.assertEqual((reads["value"], reads["instances"]), (tree["counters"]["reads"]["value"], 2))
        self.assertLessEqual(reads["least"], reads["most"])

    def test_kernels_are_a_frame(self):
        frame = self.result.kernel_frame()
        self.assertEqual(list(frame["cycles"]), [kernel.cycles for kernel in self.result.kernels])

    def test_says_what_was_changed_of_the_machine(self):
        self.assertEqual(self.result.overrides, ("dram.channels=2",))
        self.assertEqual(list(self.result.frame()["overrides"]), ["dram.channels=2"])
        self.assertIn("on lab-tiny with dram.channels=2 ", self.result._repr_html_())

    def test_html_says_what_binds_and_escapes(self):
        html = self.result._repr_html_()
        self.assertIn("lab-tiny", html)
        self.assertIn("fp16-&gt;fp32", html)
        self.assertIn(self.result.verdict, html)

    def test_arrays_are_multiplied(self):
        generator = numpy.random.default_rng(7)
        a = generator.integers(-8, 8, (48, 32)).astype("float32")
        b = generator.integers(-8, 8, (32, 16)).astype("float32")
        result = tcsim.run("gemm:m=48,n=16,k=32,out=fp32", "lab-tiny", a=a, b=b)
        numpy.testing.assert_array_equal(result.arrays["D"], a @ b)
        half = tcsim.run("gemm:m=48,n=16,k=32,dtype=bf16,out=bf16", "a100", a=a, b=b).arrays["D"]
        self.assertEqual(half.dtype, numpy.float32)
        numpy.testing.assert_allclose(half, a @ b, rtol=2**-8)
        for told in (result.text, json.dumps(result.report), json.dumps(result.stats)):
            self.assertIn("array a", told)
            self.assertNotIn(".npy", told)
        self.assertNotEqual(result, tcsim.run("gemm:m=48,n=16,k=32,out=fp32", "lab-tiny", a=a, b=b))

    def test_arrays_have_their_names_whatever_the_folder_is_called(self):
        a = numpy.ones((64, 32), "float32")
        with tempfile.TemporaryDirectory() as folder:
            odd = pathlib.Path(folder) / 'quo"ted\\'
            odd.mkdir()
            with unittest.mock.patch.object(tempfile, "tempdir", str(odd)):
                result = tcsim.run("gemm:m=64,n=16,k=32", "lab-tiny", a=a, b=a[:32, :16])
        for told in (result.report, result.stats):
            self.assertEqual((told["values"]["inputs"]["a"], told["values"]["inputs"]["b"]), ("array a", "array b"))

    def test_words_of_quantize_are_a_list_or_a_text(self):
        words = {"workload": "gemm:64,dtype=int8", "machine": "lab-tiny", "values": True}
        of_list = tcsim.run(**words, quantize=["per-channel", "asymmetric"]).report["values"]
        self.assertEqual(of_list, tcsim.run(**words, quantize="per-channel,asymmetric").report["values"])

    def test_arrays_of_truth_values_and_of_other_byte_orders_are_numbers(self):
        a = numpy.arange(64 * 32).reshape(64, 32) % 3 == 0
        b = (numpy.arange(32 * 16, dtype=">i4").reshape(32, 16) % 5).astype(">f4")
        product = tcsim.run("gemm:m=64,n=16,k=32,out=fp32", "lab-tiny", a=a, b=b).arrays["D"]
        numpy.testing.assert_array_equal(product, a.astype("float32") @ b.astype("float32"))

    def test_a_setting_may_be_a_list_and_settings_texts(self):
        whole = tcsim.run("gemm:128", "lab-tiny", set={"sm.shared_memory.carveouts_bytes": [0, 65536, 167936]}).report
        texts = tcsim.run("gemm:128", "lab-tiny", set=["sm.shared_memory.carveouts_bytes=[0, 65536, 167936]"]).report
        self.assertEqual({**whole, "simulation": 0}, {**texts, "simulation": 0})
        self.assertEqual(whole["overrides"], texts["overrides"])
        self.assertTrue(whole["overrides"])

    def test_sampled_fidelity_is_named(self):
        self.assertEqual(self.result.fidelity, "cycle")
        self.assertEqual(tcsim.run("gemm:m=256,n=256,k=8192", "lab-tiny", fidelity="sampled:5%").fidelity, "sampled")


    def test_a_time_limit_leaves_a_partial_result(self):
        for workload in ("gemm:m=4096,n=4096,k=4096", "net:resnet50"):
            result = tcsim.run(workload, "a100", timeout=0.5)
            self.assertEqual((result.complete, result.stopped_by), (False, "time limit"))

    def test_a_time_limit_ends_the_computation_of_values(self):
        workload = "gemm:m=256,n=256,k=4096"  # they take fifty times as long as its simulation
        start = time.monotonic()
        whole = tcsim.run(workload, "lab-tiny")
        simulated = time.monotonic() - start
        stopped = tcsim.run(workload, "lab-tiny", values=True, timeout=3 * simulated + 0.3)
        self.assertEqual((stopped.complete, stopped.stopped_by), (False, "time limit"))
        self.assertEqual((stopped.time_us, stopped.arrays), (whole.time_us, {}))


class Network(unittest.TestCase):
    def test_has_the_figures_of_the_command_line(self):
        seen = []
        result = tcsim.run("net:lenet", "lab-tiny", batch=2, pass_="training", progress=lambda now: seen.append(now.steps_done))
        report = printed("net:lenet", "-m", "lab-tiny", "--batch", "2", "--pass", "training")
        self.assertEqual((result.time_us, len(result.steps)), (report["time_us"], len(report["steps"])))
        self.assertEqual((result.batch, result.pass_), (2, "training"))
        frame = result.frame()
        self.assertAlmostEqual(frame["time_us"].sum(), result.time_us)
        self.assertIn("dgrad", set(frame["part"]))
        self.assertEqual(result.layer_frame()["time_us"].max(), result.layers[0].time_us)
        self.assertEqual(seen, sorted(seen))
        self.assertGreater(seen[-1], 0)
        self.assertIn("samples/s", result._repr_html_())
        self.assertAlmostEqual(result.metric("samples_per_s"), result.samples_per_s)
        self.assertIsNone(result.metric("tokens_per_s"))

    def test_says_on_which_machines_it_ran(self):
        result = tcsim.run("net:lenet", "a100", set={"dram.channels": 20}, gpus=2)
        self.assertEqual((result.machine, result.overrides, result.gpus), ("a100", ("dram.channels=20",), 2))
        row = result.frame().iloc[0]
        self.assertEqual((row["machine"], row["overrides"], row["gpus"]), ("a100", "dram.channels=20", 2))
        self.assertIn("on 2 x a100 with dram.channels=20", result._repr_html_())
        self.assertIn("TFLOPS per GPU", result._repr_html_())


class Machines(unittest.TestCase):
    def test_peaks_are_those_of_the_machine(self):
        self.assertIn("a100", tcsim.machines())
        peak = tcsim.peak("a100")
        self.assertAlmostEqual(peak.rate("fp16"), 311.86944)
        self.assertIsNone(tcsim.peak("v100").rate("bf16"))
        eight_bits = tcsim.peak("h100")
        self.assertEqual({eight_bits.rate(dtype) for dtype in ("e4m3", "e5m2")}, {eight_bits.rate("fp8")})
        self.assertAlmostEqual(tcsim.peak("a100", set={"sm.tensor.fp16_macs": 128}).rate("fp16"), 311.86944 / 2)
        self.assertEqual([one.level for one in peak.bandwidths][:2], ["dram", "l2"])
        self.assertEqual(len(peak.frame()), len(peak.rates))
        self.assertIn("311.9 TFLOPS", peak._repr_html_())
        with self.assertRaises(KeyError):
            peak.rate("fp3")


if __name__ == "__main__":
    unittest.main()
