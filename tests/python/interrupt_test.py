"""A run holds nobody up: other threads go on, Ctrl-C and a progress function end it."""
import multiprocessing
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy
import tcsim

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it, and so would its children

LONG = ("gemm:m=4096,n=4096,k=4096", "a100")  # minutes

INTERRUPTED = """
import tcsim
try:
    tcsim.run({!r}, {!r}, progress=lambda now: print(now.cycle, flush=True))
except KeyboardInterrupt:
    print("interrupted", tcsim.run("gemm:64", "lab-tiny").complete)
"""

SWEPT = """
import tcsim
try:
    tcsim.sweep("gemm:{n}", "a100", axes={"n": [64, 4096, 4097]}, at_once=2, progress=lambda *_: print("point", flush=True))
except KeyboardInterrupt:
    print("interrupted")
"""

# The signal arrives in a thread other than the one that waits for the points, which it does not wake.
SWEPT_WITHOUT_A_WAKE = """
import signal, threading, tcsim
def interrupt():
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
threading.Timer(1, interrupt).start()
""" + SWEPT.replace("64, ", "")


def interrupt(program, first):
    """What `program` prints when it gets SIGINT, as its terminal would send it, behind its first line; and how long it took."""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert first(child.stdout.readline())
    start = time.monotonic()
    child.send_signal(signal.SIGINT)
    said = child.communicate(timeout=60)[0].splitlines()
    return said[-1], child.returncode, time.monotonic() - start


class Interrupt(unittest.TestCase):
    def test_ctrl_c_raises_and_leaves_the_module_usable(self):
        said, status, seconds = interrupt(INTERRUPTED.format(*LONG), str.strip)
        self.assertEqual((said, status), ("interrupted True", 0))
        self.assertLess(seconds, 20)

    def test_ctrl_c_ends_the_processes_of_a_sweep(self):
        said, status, seconds = interrupt(SWEPT, str.strip)
        self.assertEqual((said, status), ("interrupted", 0))
        self.assertLess(seconds, 20)

    def test_a_signal_that_wakes_nobody_ends_a_sweep(self):
        start = time.monotonic()
        said = subprocess.run([sys.executable, "-c", SWEPT_WITHOUT_A_WAKE], stdout=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual((said.stdout.split(), said.returncode), (["interrupted"], 0))
        self.assertLess(time.monotonic() - start, 20)

    def test_other_threads_go_on(self):
        ticks, ends = [0], threading.Event()

        def tick():
            while not ends.wait(0.002):
                ticks[0] += 1

        thread = threading.Thread(target=tick)
        thread.start()
        seen = []
        tcsim.run("gemm:1024", "lab-tiny", jobs=1, progress=lambda now: seen.append(ticks[0]))
        ends.set()
        thread.join()
        self.assertGreater(len(seen), 2)
        self.assertGreater(seen[-1] - seen[0], 5 * (len(seen) - 1))

    def test_a_false_answer_ends_the_run_with_a_partial_result(self):
        result = tcsim.run(*LONG, progress=lambda now: now.ctas_total == 0)
        self.assertEqual((result.complete, result.stopped_by), (False, "interrupted"))
        self.assertIn("partial", result._repr_html_())

    def test_a_network_that_ends_early_has_no_rate_of_its_batch(self):
        result = tcsim.run("net:lenet", "lab-tiny", progress=lambda now: now.steps_done < 1)
        self.assertFalse(result.complete)
        self.assertIsNone(result.samples_per_s)
        self.assertNotIn("samples/s", result._repr_html_())

    def test_what_a_progress_function_raises_comes_back(self):
        with self.assertRaisesRegex(ZeroDivisionError, "division"):
            tcsim.run(*LONG, progress=lambda now: 1 // 0)
        with self.assertRaisesRegex(RuntimeError, "cannot start a run"):
            tcsim.run(*LONG, progress=lambda now: tcsim.run("gemm:64", "lab-tiny"))
        self.assertTrue(tcsim.run("gemm:64", "lab-tiny").complete)

    def test_an_answer_is_true_or_false_as_in_python(self):
        self.assertTrue(tcsim.run("gemm:64", "lab-tiny", progress=lambda now: "on").complete)
        self.assertFalse(tcsim.run(*LONG, progress=lambda now: []).complete)
        with self.assertRaisesRegex(ValueError, "ambiguous"):
            tcsim.run(*LONG, progress=lambda now: numpy.ones(2))

    def test_threads_take_turns(self):
        results = {}
        threads = [threading.Thread(target=lambda n=n: results.update({n: tcsim.run(f"gemm:{n}", "lab-tiny")})) for n in (64, 96, 128)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual({n: result.time_us for n, result in results.items()},
                         {n: tcsim.run(f"gemm:{n}", "lab-tiny").time_us for n in (64, 96, 128)})

    def test_a_forked_child_does_not_wait_for_threads_of_its_parent(self):
        begun, forked = threading.Event(), threading.Event()

        def wait(now):
            begun.set()
            forked.wait()
            return False

        thread = threading.Thread(target=tcsim.run, args=LONG, kwargs={"progress": wait})
        thread.start()
        begun.wait()
        child = multiprocessing.get_context("fork").Process(target=tcsim.run, args=("gemm:64", "lab-tiny"))
        child.start()
        forked.set()
        thread.join()
        child.join(60)
        child.kill()
        self.assertEqual(child.exitcode, 0)


if __name__ == "__main__":
    unittest.main()
