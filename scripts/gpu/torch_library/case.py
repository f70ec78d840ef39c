"""A library call as a row of the tables of measurements states it: op, types and `params`."""
import csv
import dataclasses
import functools

COLUMNS = ("op", "dtype_in", "dtype_acc", "params")
ATTENTION_BACKENDS = ("cudnn", "flash")
ELEMENT_BYTES = {"fp16": 2, "bf16": 2, "tf32": 4, "fp32": 4, "int8": 1, "e4m3": 1}


@dataclasses.dataclass(frozen=True)
class Case:
    op: str
    dtype_in: str
    dtype_acc: str
    params: str
    backend: str = ""  # of attention: cudnn or flash

    @functools.cached_property
    def words(self):
        return dict(word.split("=", 1) for word in self.params.split(";") if "=" in word)

    def number(self, *names, default=None):
        """The value of the first of `names` that is there; without one `default`, or a KeyError."""
        for name in names:
            if name in self.words:
                return int(self.words[name])
        if default is None:
            raise KeyError(f"{names[0]}= is missing in '{self.params}'")
        return default

    def pair(self, name, default):
        """`stride=2`, `stride=2x1`, or `stride_h=2;stride_w=1`, as (rows, columns)."""
        both = self.words.get(name)
        if both is None:
            return self.number(name + "_h", default=default), self.number(name + "_w", default=default)
        sides = [int(side) for side in both.split("x")]
        return sides[0], sides[-1]

    def output_size(self):
        """Rows and columns of a convolution's result."""
        stride, pad, dilation = self.pair("stride", 1), self.pair("pad", 0), self.pair("dil", 1)
        sizes = zip((self.number("h"), self.number("w")), (self.number("r"), self.number("s")), stride, pad, dilation)
        return tuple((size + 2 * edge - gap * (window - 1) - 1) // step + 1
                     for size, window, step, edge, gap in sizes)

    def flops(self):
        """Useful operations as real_gpu tables count them; 0 for the operations bound by memory."""
        if self.op in ("gemm", "bgemm"):
            batch = self.number("batch", "b", default=1)
            return 2 * batch * self.number("m") * self.number("n") * self.number("k")
        if self.op.startswith("conv"):
            rows, columns = self.output_size()
            filters = self.number("k") * self.number("c") * self.number("r") * self.number("s")
            return 2 * self.number("n") * rows * columns * filters // self.number("groups", default=1)
        if self.op.startswith("attention"):
            pairs = self.number("seq") * self.number("kv", default=self.number("seq"))
            full = 4 * self.number("b") * self.number("heads") * pairs * self.number("dim")
            halved = full // 2 if self.number("causal", default=0) else full
            return int(halved * 2.5) if self.op == "attention_bwd" else halved
        return 0


def read(path):
    """The distinct cases of a file; attention once for each backend. Rows without `op` or `params` are an error."""
    cases = {}
    with open(path, newline="", encoding="utf-8") as file:
        for number, row in enumerate(csv.DictReader(file), 2):
            if not row.get("op") or not row.get("params"):
                raise ValueError(f"{path}:{number}: a case needs op and params")
            base = Case(*(row.get(column) or "" for column in COLUMNS))
            backends = ATTENTION_BACKENDS if base.op.startswith("attention") else ("",)
            for backend in backends:
                cases[dataclasses.replace(base, backend=backend)] = None
    return list(cases)
