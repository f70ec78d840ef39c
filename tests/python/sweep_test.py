"""tcsim.sweep runs every combination and keeps what fails."""
import os
import pathlib
import tempfile
import unittest

import numpy
import tcsim


class Sweep(unittest.TestCase):
    def test_runs_every_combination_and_tells_each(self):
        heard = []
        sweep = tcsim.sweep("gemm:{n}", ["lab-tiny", "nowhere"], axes={"n": [64, 128]}, set={"dram.channels": [1, 2], "l2.slices": 2},
                            progress=lambda done, total, point: heard.append((done, total)))
        self.assertEqual(heard, [(number, 8) for number in range(1, 9)])
        self.assertEqual(list(sweep.axes), ["n", "machine", "set.dram.channels"])
        self.assertEqual([tuple(point.at.values()) for point in sweep][:3], [(64, "lab-tiny", 1), (64, "lab-tiny", 2), (64, "nowhere", 1)])
        frame = sweep.frame().set_index(list(sweep.axes))
        alone = tcsim.run("gemm:128", "lab-tiny", set={"dram.channels": 2, "l2.slices": 2})
        self.assertEqual(frame.loc[(128, "lab-tiny", 2), "time_us"], alone.time_us)
        failed = [point for point in sweep if point.error]
        self.assertEqual({point.at["machine"] for point in failed}, {"nowhere"})
        self.assertIsInstance(failed[0].error, tcsim.UsageError)
        self.assertIn("no such machine", failed[0].error.mistakes[0].reason)
        self.assertIn("<td>nowhere</td>", sweep._repr_html_())

    def test_networks_are_points_too(self):
        sweep = tcsim.sweep("net:lenet", "lab-tiny", batch=[1, 4])
        self.assertLess(sweep.points[0].result.samples_per_s, sweep.points[1].result.samples_per_s)
        self.assertEqual(list(sweep.frame()["bound_by"]), [point.result.report["bound_by"] for point in sweep])

    def test_partial_results_are_told_from_whole_ones(self):
        sweep = tcsim.sweep("gemm:64", "lab-tiny", max_cycles=[500, 1000000])
        self.assertEqual(list(sweep.frame()["stopped_by"]), ["cycle limit", "finished"])
        self.assertIn("<td>cycle limit</td>", sweep._repr_html_())

    def test_the_frame_keeps_axes_that_are_called_like_its_columns(self):
        sweep = tcsim.sweep("gemm:{time_us}", "lab-tiny", axes={"time_us": [64, 96]}, fidelity=["cycle", "sampled:5%"])
        frame = sweep.frame()
        self.assertEqual(frame[list(sweep.axes)].to_dict("records"), [point.at for point in sweep])
        self.assertEqual(list(frame["result.time_us"]), [point.result.time_us for point in sweep])

    def test_points_have_their_arrays(self):
        words = {"fidelity": "sampled", "values": True}
        (point,) = tcsim.sweep("gemm:64", "lab-tiny", **words)
        numpy.testing.assert_array_equal(point.result.arrays["D"], tcsim.run("gemm:64", "lab-tiny", **words).arrays["D"])

    def test_modules_of_the_current_folder_do_not_matter(self):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "signal.py").write_text("raise ImportError('not this one')\n")
            os.chdir(folder)
            try:
                (point,) = tcsim.sweep("gemm:64", "lab-tiny")
            finally:
                os.chdir(before)
        self.assertIsNone(point.error)

    def test_refuses_what_it_cannot_place(self):
        with self.assertRaisesRegex(ValueError, "'n' is not an axis"):
            tcsim.sweep("gemm:{n}")
        with self.assertRaisesRegex(ValueError, "'k' is not in the workload"):
            tcsim.sweep("gemm:64", axes={"k": [1]})
        with self.assertRaisesRegex(ValueError, "at least one value"):
            tcsim.sweep("gemm:64", machine=[])
        with self.assertRaisesRegex(TypeError, "takes no arrays"):
            tcsim.sweep("gemm:64", a=numpy.zeros((64, 64)))
        with self.assertRaises(tcsim.UsageError):
            tcsim.sweep("gemm:64", tiel=["64x64x32"])
        for values in ("256", 256):
            with self.assertRaisesRegex(TypeError, "'n' is '?256'?, not a list"):
                tcsim.sweep("gemm:{n}", axes={"n": values})
        for name, more in (("machine", {}), ("workload", {}), ("batch", {"batch": 7})):
            with self.assertRaisesRegex(ValueError, f"'{name}' is an argument"):
                tcsim.sweep(f"gemm:{{{name}}}", axes={name: [64]}, **more)
        for workers in (0, -1, 1.5, "2"):
            with self.assertRaisesRegex(tcsim.UsageError, "^at_once: .* is not a whole number from 1"):
                tcsim.sweep("gemm:64", "lab-tiny", at_once=workers)
        with self.assertRaisesRegex(tcsim.UsageError, "'dram.channels' is given twice"):
            tcsim.sweep("gemm:64", set=["dram.channels=1", "dram.channels=2"])


if __name__ == "__main__":
    unittest.main()
