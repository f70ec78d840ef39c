"""A case as a call of PyTorch. Layout letters are row-major: A `N` is m x k, `T` k x m; B `N` is k x n, `T` n x k.

Convolutions take tensors in channels_last (NHWC, filters KRSC). Attention takes tensors of batch, sequence, heads, head
size in memory, as projections leave them. e4m3 products have one scale per tensor, fast accumulation (fast_accum=0:
without) and results in bf16, int8 products results in int32.
"""
import contextlib
import warnings

import torch
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel

from torch_library.operands import Unfit

warnings.filterwarnings("ignore")  # newer versions announce other names of the settings of _set_precision, at each

BACKENDS = {"cudnn": SDPBackend.CUDNN_ATTENTION, "flash": SDPBackend.FLASH_ATTENTION}
CONVOLUTION_MASKS = {"conv_dgrad": [True, False, False], "conv_wgrad": [False, True, False]}


def prepare(case, operands):
    """A function that makes the call once. Unfit, KeyError or RuntimeError if PyTorch cannot."""
    operands.start()
    _set_precision(case)
    if case.op not in PREPARE:
        raise Unfit(f"op '{case.op}' is unknown (allowed: {', '.join(PREPARE)})")
    return PREPARE[case.op](case, operands)


def _set_precision(case):
    tf32 = case.dtype_in == "tf32"
    with contextlib.suppress(AttributeError):  # before PyTorch 2.7 sums are always FP32
        torch.backends.cuda.matmul.allow_fp16_accumulation = case.dtype_acc == "fp16"
    torch.backends.cuda.matmul.allow_tf32 = tf32
    torch.backends.cudnn.allow_tf32 = tf32
    torch.backends.cudnn.benchmark = False


def _matrix(case, operands, transposed, rows, columns):
    batch = (case.number("batch", "b"),) if {"batch", "b"} & case.words.keys() else ()
    if transposed:
        return operands.take(case.dtype_in, *batch, columns, rows).transpose(-2, -1)
    return operands.take(case.dtype_in, *batch, rows, columns)


def _gemm(case, operands):
    m, n, k = case.number("m"), case.number("n"), case.number("k")
    layout = case.words.get("layout", "NT").upper()
    if {"groups", "rows"} & case.words.keys():
        raise Unfit("grouped products are not called")
    a = _matrix(case, operands, layout[0] == "T", m, k)
    b = _matrix(case, operands, layout[1] == "T", k, n)
    if case.dtype_in == "int8":
        return _int8_gemm(a, b)
    if case.dtype_in == "e4m3":
        return _fp8_gemm(case, a, b)
    if a.dim() == 3:
        return lambda: torch.bmm(a, b)
    if case.number("bias", default=0):
        bias = operands.take(case.dtype_in, n)
        return lambda: torch.addmm(bias, a, b)
    return lambda: torch.mm(a, b)


def _int8_gemm(a, b):
    if a.dim() == 3 or a.shape[0] <= 16 or a.shape[1] % 8 or b.shape[1] % 8:
        raise Unfit("torch._int_mm takes one product of m above 16 with n and k multiples of 8")
    return lambda: torch._int_mm(a, b)  # pylint: disable=protected-access


def _fp8_gemm(case, a, b):
    if a.dim() == 3 or not a.is_contiguous() or not b.t().is_contiguous():
        raise Unfit("torch._scaled_mm takes layout NT only")
    scale = torch.ones((), device="cuda")
    fast = bool(case.number("fast_accum", default=1))
    return lambda: torch._scaled_mm(  # pylint: disable=protected-access
        a, b, scale_a=scale, scale_b=scale, out_dtype=torch.bfloat16, use_fast_accum=fast)


def _nhwc(case, operands, images, channels, size):
    return operands.take(case.dtype_in, images, *size, channels).permute(0, 3, 1, 2)


def _convolution(case, operands):
    if "d" in case.words:
        raise Unfit("convolutions of three dimensions are not called")
    groups = case.number("groups", default=1)
    images, channels, filters = case.number("n"), case.number("c"), case.number("k")
    stride, pad, dilation = case.pair("stride", 1), case.pair("pad", 0), case.pair("dil", 1)
    x = _nhwc(case, operands, images, channels, (case.number("h"), case.number("w")))
    w = _nhwc(case, operands, filters, channels // groups, (case.number("r"), case.number("s")))
    if case.op == "conv_fwd":
        return lambda: functional.conv2d(x, w, None, stride, pad, dilation, groups)
    dy = _nhwc(case, operands, images, filters, case.output_size())
    mask = CONVOLUTION_MASKS[case.op]
    return lambda: torch.ops.aten.convolution_backward(dy, x, w, None, list(stride), list(pad), list(dilation), False,
                                                       [0, 0], groups, mask)


def _attention(case, operands):
    if {"window", "pages"} & case.words.keys():
        raise Unfit("windows and pages are not called")
    batch, heads, kv_heads = case.number("b"), case.number("heads"), case.number("kvheads", "heads")
    queries, dim = case.number("seq"), case.number("dim")
    keys, value_dim = case.number("kv", "seq"), case.number("dim_v", "dim")
    backward = case.op == "attention_bwd"

    def tensor(length, count, size):
        whole = operands.take(case.dtype_in, batch, length, count, size).transpose(1, 2)
        return whole.detach().requires_grad_(backward)

    q, k, v = tensor(queries, heads, dim), tensor(keys, kv_heads, dim), tensor(keys, kv_heads, value_dim)
    words = {"is_causal": bool(case.number("causal", default=0))}
    if kv_heads != heads:
        words["enable_gqa"] = True

    def forward():
        with sdpa_kernel(BACKENDS[case.backend or "cudnn"]):
            return functional.scaled_dot_product_attention(q, k, v, **words)

    if not backward:
        return forward
    result = forward()
    gradient = operands.take(case.dtype_in, batch, queries, heads, value_dim).transpose(1, 2)
    return lambda: torch.autograd.grad(result, (q, k, v), gradient, retain_graph=True)


def _rows(case, operands):
    return operands.take(case.dtype_in, case.number("rows"), case.number("cols"))


def _softmax(case, operands):
    x = _rows(case, operands)
    return lambda: torch.softmax(x, -1)


def _layer_norm(case, operands):
    columns = case.number("cols")
    x = _rows(case, operands)
    scale, shift = operands.take(case.dtype_in, columns), operands.take(case.dtype_in, columns)
    return lambda: functional.layer_norm(x, (columns,), scale, shift)


def _gelu(case, operands):
    x = _rows(case, operands)
    return lambda: functional.gelu(x)


def _add(case, operands):
    x, y = _rows(case, operands), _rows(case, operands)
    return lambda: torch.add(x, y)


def _copy(case, operands):
    x, y = _rows(case, operands), _rows(case, operands)
    return lambda: y.copy_(x)


PREPARE = {"gemm": _gemm, "bgemm": _gemm, "conv_fwd": _convolution, "conv_dgrad": _convolution,
           "conv_wgrad": _convolution, "attention_fwd": _attention, "attention_decode": _attention,
           "attention_bwd": _attention, "softmax": _softmax, "layernorm": _layer_norm, "gelu": _gelu, "add": _add,
           "copy": _copy}
