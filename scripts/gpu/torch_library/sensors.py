"""Clocks, power and temperature of the GPU, read through NVML beside running work. Nothing is ever set."""
import contextlib
import threading
import time

import pynvml
import torch

INTERVAL_S = 0.02


def _handle():
    pynvml.nvmlInit()
    with contextlib.suppress(Exception):
        return pynvml.nvmlDeviceGetHandleByUUID(f"GPU-{torch.cuda.get_device_properties(0).uuid}")
    return pynvml.nvmlDeviceGetHandleByIndex(0)


def _instant_watts(handle):
    value = pynvml.nvmlDeviceGetFieldValues(handle, [pynvml.NVML_FI_DEV_POWER_INSTANT])[0]
    return value.value.uiVal / 1000 if value.nvmlReturn == 0 else None


def _limits(handle):
    """Why the clock is below its maximum, as bits of NVML."""
    return pynvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle)


# What a sample holds. Board power is an average over about a second; the energy counter has none of that delay.
READINGS = {
    "sm_mhz": lambda handle: pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_SM),
    "memory_mhz": lambda handle: pynvml.nvmlDeviceGetClockInfo(handle, pynvml.NVML_CLOCK_MEM),
    "power_w": lambda handle: pynvml.nvmlDeviceGetPowerUsage(handle) / 1000,
    "instant_power_w": _instant_watts,
    "energy_j": lambda handle: pynvml.nvmlDeviceGetTotalEnergyConsumption(handle) / 1000,
    "temperature_c": lambda handle: pynvml.nvmlDeviceGetTemperature(handle, pynvml.NVML_TEMPERATURE_GPU),
    "limits": _limits,
}


class Sampler:
    """Samples while its block runs: `samples` holds dictionaries with `time_s` (time.monotonic) and READINGS."""

    def __init__(self):
        self.handle = _handle()
        self.samples = []
        self.stop = threading.Event()
        self.thread = None

    def __enter__(self):
        self.samples = []
        self.stop.clear()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        self.thread.join()

    def _run(self):
        while not self.stop.is_set():
            sample = {"time_s": time.monotonic()}
            for name, reading in READINGS.items():
                with contextlib.suppress(Exception):  # a reading that this board or driver lacks
                    sample[name] = reading(self.handle)
            self.samples.append(sample)
            self.stop.wait(INTERVAL_S)


def summary(samples, from_s):
    """What the samples from `from_s` on show: means of clocks and power, last temperature, all limits that held."""
    late = [sample for sample in samples if sample["time_s"] >= from_s]
    found = {"samples": len(late)}
    for name in ("sm_mhz", "memory_mhz", "power_w", "instant_power_w"):
        values = [sample[name] for sample in late if sample.get(name) is not None]
        found[name] = f"{sum(values) / len(values):.1f}" if values else ""
    clocks = [sample["sm_mhz"] for sample in late if "sm_mhz" in sample]
    found["sm_mhz_min"], found["sm_mhz_max"] = (min(clocks), max(clocks)) if clocks else ("", "")
    found["energy_power_w"] = _energy_power(late)
    temperatures = [sample["temperature_c"] for sample in late if "temperature_c" in sample]
    found["temperature_c"] = temperatures[-1] if temperatures else ""
    limits = 0
    for sample in late:
        limits |= sample.get("limits", 0)
    found["limits"] = hex(limits)
    return found


def _energy_power(samples):
    """Watts from the steps of the energy counter, which moves less often than it is read."""
    steps = []
    for sample in samples:
        if "energy_j" in sample and (not steps or sample["energy_j"] != steps[-1][1]):
            steps.append((sample["time_s"], sample["energy_j"]))
    if len(steps) < 4:
        return ""
    (first_s, first_j), (last_s, last_j) = steps[1], steps[-1]
    return f"{(last_j - first_j) / (last_s - first_s):.1f}"
