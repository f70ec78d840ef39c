"""tcsim: a cycle-level simulator of NVIDIA-style tensor-core GPUs.

    import tcsim
    result = tcsim.run("gemm:1024", machine="a100", set={"dram.channels": 16})
    result.time_us, result.bound_by, result.kernel_frame()

docs/python.md shows more.
"""

from ._errors import Error, InternalError, IoError, Mistake, NotCovered, UsageError
from ._network import Layer, NetworkResult, Step
from ._peak import Bandwidth, Peak, Rate, machines, peak
from ._result import Counter, Kernel, Metric, Result
from ._run import run
from ._sweep import Point, Sweep, sweep
from ._tcsim import Progress, version

__version__ = version().split()[0]

__all__ = [
    "Bandwidth", "Counter", "Error", "InternalError", "IoError", "Kernel", "Layer", "Metric", "Mistake", "NetworkResult",
    "NotCovered", "Peak", "Point", "Progress", "Rate", "Result", "Step", "Sweep", "UsageError", "machines", "peak", "run",
    "sweep", "version",
]
