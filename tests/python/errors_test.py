"""What goes wrong is an exception with every mistake and its place."""
import pathlib
import pickle
import tempfile
import unittest

import numpy
import tcsim


def refused(*arguments, **fields):
    try:
        tcsim.run(*arguments, **fields)
    except tcsim.Error as error:
        return error
    raise AssertionError("nothing was refused")


class Errors(unittest.TestCase):
    def test_a_machine_file_tells_every_mistake_with_its_place(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "mine.yaml"
            file.write_text("gpu:\n  sms: many\n  smms: 3\n")
            error = refused("gemm:64", file)
        self.assertIsInstance(error, tcsim.UsageError)
        places = [(one.file, one.line, one.column, one.key) for one in error.mistakes]
        self.assertIn((str(file), 2, 8, "gpu.sms"), places)
        self.assertIn((str(file), 3, 3, "gpu.smms"), places)
        self.assertTrue(any("many" in one.reason for one in error.mistakes))
        self.assertEqual(error.status, 2)

    def test_a_setting_is_told_by_its_key(self):
        (mistake,) = refused("gemm:64", "lab-tiny", set={"sm.tensr": 1}).mistakes
        self.assertEqual((mistake.key, mistake.line), ("sm.tensr", None))

    def test_settings_are_a_mapping_or_a_list_of_texts(self):
        for given, word in ((5, "5"), (["dram.channels"], "dram.channels"), ([7], "7"), ({"dram.channels": object()}, "object")):
            (mistake,) = refused("gemm:64", "lab-tiny", set=given).mistakes
            self.assertEqual(mistake.key, "set")
            self.assertIn(word, mistake.reason)
        with self.assertRaises(tcsim.UsageError):
            tcsim.peak("lab-tiny", set=5)

    def test_an_array_is_told_by_its_argument(self):
        b = numpy.ones((32, 16), "float32")
        for array in (numpy.ones((64, 32), "complex64"), numpy.full((64, 32), None)):
            (mistake,) = refused("gemm:m=64,n=16,k=32", "lab-tiny", a=array, b=b).mistakes
            self.assertEqual(mistake.key, "a")
            self.assertIn(str(array.dtype), mistake.reason)
        error = refused("gemm:m=64,n=16,k=32", "lab-tiny", a=numpy.ones((64, 33), "float32"), b=b)
        self.assertTrue(str(error).startswith("a: "), str(error))
        self.assertEqual(error.mistakes[0].file, "a")
        self.assertNotIn(".npy", str(error))
        error = refused("gemm:m=64,n=16,k=32", "lab-tiny", a=numpy.float32(3), b=b)
        self.assertIn("a: the array is a scalar;", str(error))
        error = refused("gemm:m=64,n=16,k=32", "lab-tiny", a=numpy.ones((64, 32), "float32"), b=b, values=False)
        self.assertIn("has no effect without", str(error))

    def test_masks_are_not_dropped(self):
        a = numpy.ma.masked_array(numpy.ones((64, 32), "float32"), mask=numpy.eye(64, 32))
        (mistake,) = refused("gemm:m=64,n=16,k=32", "lab-tiny", a=a, b=numpy.ones((32, 16), "float32")).mistakes
        self.assertEqual(mistake.key, "a")
        self.assertIn("filled", mistake.reason)

    def test_lists_are_no_operands(self):
        for name in ("a", "b"):
            (mistake,) = refused("gemm:64", "lab-tiny", **{name: [[1.0] * 64] * 64}).mistakes
            self.assertEqual(mistake.key, name)
            self.assertIn("array of numpy", mistake.reason)
            self.assertLess(len(mistake.reason), 400)

    def test_what_is_no_value_is_told_by_its_argument(self):
        for fields in ({"tile": object()}, {"library": [{"a": 1}]}):
            (name,) = fields
            with self.assertRaisesRegex(TypeError, f"^{name}: .* is not text"):
                tcsim.run("gemm:64", "lab-tiny", **fields)
        for workload, machine, name in (({}, "lab-tiny", "workload"), ("gemm:64", ["lab-tiny"], "machine")):
            with self.assertRaisesRegex(TypeError, f"^{name}: .* is not text"):
                tcsim.run(workload, machine)
        self.assertIn("did you mean 'set'", str(refused("gemm:64", "lab-tiny", sets={"a": 1})))

    def test_a_timeline_is_left_to_its_command(self):
        error = refused("gemm:64", "lab-tiny", timeline="sm=0,cycles=0:100")
        self.assertIsInstance(error, tcsim.UsageError)
        self.assertIn("tcsim timeline", str(error))

    def test_what_a_result_has_no_place_for_is_refused(self):
        self.assertIn("streams", str(refused("net:lenet", "lab-tiny", streams=2)))
        self.assertEqual(refused("gemm:64", "lab-tiny", gpus=2).mistakes[0].file, "--gpus")
        self.assertIn("critical", str(refused("net:lenet", "lab-tiny", critical_path=True)))
        for tile in ("best", "best:3"):
            self.assertIn("use tcsim run --tile best", str(refused("gemm:64", "lab-tiny", tile=tile)))

    def test_what_is_missing_is_one_reason(self):
        for words, missing in ((("", "lab-tiny"), "which workload?"), (("gemm:64", ""), "which machine?")):
            (mistake,) = refused(*words).mistakes
            self.assertTrue(mistake.reason.startswith(missing), mistake)

    def test_what_is_no_text_is_refused(self):
        for words in (("gemm:64\udc80", "lab-tiny"), ("gemm:64", "lab\udc80")):
            error = refused(*words)
            self.assertIsInstance(error, tcsim.UsageError)
            self.assertIn("UTF-8", error.mistakes[0].reason)

    def test_a_workload_is_told_by_its_column(self):
        (mistake,) = refused("gemm:m=64,n=64,k=64,dtyp=fp16", "lab-tiny").mistakes
        self.assertEqual((mistake.column, mistake.key), (21, "gemm"))

    def test_an_argument_gets_the_nearest_word(self):
        error = refused("gemm:64", "lab-tiny", fidelty="cycle")
        self.assertIn("did you mean 'fidelity'", str(error))
        self.assertIn("did you mean 'workload'", str(refused("gemm:64", "lab-tiny", workload_="gemm:96")))
        with self.assertRaises(ValueError):
            tcsim.run("gemm:64", "lab-tiny", tile="128")
        with self.assertRaises(TypeError):
            tcsim.run("gemm:64", "lab-tiny", tile=object())

    def test_kinds_are_told_apart(self):
        self.assertIsInstance(refused("gemm:64,dtype=int8", "v100", unit="tensor"), tcsim.NotCovered)
        missing = refused("gemm:64", "there_is_none.yaml")
        self.assertIsInstance(missing, OSError)
        self.assertEqual(missing.status, 5)
        self.assertIn("there_is_none.yaml", str(missing))
        self.assertIsInstance(refused("csv:list.csv", "v100"), tcsim.Error)

    def test_travel_between_processes(self):
        error = refused("gemm:m=64,n=64,k=64,dtyp=fp16", "lab-tiny")
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), str(again), again.mistakes), (type(error), str(error), error.mistakes))

    def test_a_peak_is_refused_like_a_run(self):
        with self.assertRaises(tcsim.UsageError) as caught:
            tcsim.peak("a10")
        self.assertIn("did you mean", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
