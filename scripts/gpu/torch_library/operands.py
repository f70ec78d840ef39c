"""Operands as views of buffers that are filled with random numbers once, so that a case allocates only its result."""
import math

import torch

DTYPES = {"fp16": torch.float16, "bf16": torch.bfloat16, "tf32": torch.float32, "fp32": torch.float32,
          "int8": torch.int8, "e4m3": torch.float8_e4m3fn}
BUFFER_BYTES = 5 << 30
CHUNK = 1 << 26
ALIGNMENT = 4096  # elements


class Unfit(Exception):
    """A case that the buffers or the library cannot take; the message says why."""


def _normal(dtype, count):
    """`count` numbers of a normal distribution with deviation 1, of int8 with 32."""
    buffer = torch.empty(count, dtype=dtype, device="cuda")
    for first in range(0, count, CHUNK):
        part = buffer[first:first + CHUNK]
        if dtype == torch.int8:
            part.copy_((torch.randn(part.numel(), device="cuda") * 32).round().clamp(-127, 127))
        elif dtype == torch.float8_e4m3fn:
            part.copy_(torch.randn(part.numel(), device="cuda"))
        else:
            part.normal_()
    return buffer


class Operands:
    """Hands out the views of one case after the other; `start` begins a case."""

    def __init__(self):
        self.buffers = {}
        self.used = 0

    def start(self):
        self.used = 0

    def take(self, dtype_name, *shape):
        """A contiguous view of `shape` that overlaps no other of this case (of one element size)."""
        dtype = DTYPES[dtype_name]
        count = BUFFER_BYTES // 4 if dtype.itemsize == 1 else BUFFER_BYTES // dtype.itemsize
        size = math.prod(shape)
        if self.used + size > count:
            raise Unfit(f"operands of {dtype_name} exceed the buffer of {count} elements")
        if dtype not in self.buffers:
            self.buffers[dtype] = _normal(dtype, count)
        view = self.buffers[dtype][self.used:self.used + size].view(shape)
        self.used += -(-size // ALIGNMENT) * ALIGNMENT
        return view
