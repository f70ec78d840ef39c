#!/usr/bin/env python3
"""Writes models as exporters of several opsets do into a folder: make_onnx_models.py FOLDER

Weights stand among the initializers with their shapes but without numbers, as nobody computes with them.
"""
import pathlib
import sys

import onnx
from onnx import TensorProto, helper


class Graph:
    def __init__(self, name):
        self.name = name
        self.nodes = []
        self.weights = []
        self.count = 0

    def weight(self, *dims, numbers=None, kind=TensorProto.FLOAT):
        self.count += 1
        tensor = TensorProto()
        tensor.name = f"w{self.count}"
        tensor.data_type = kind
        tensor.dims.extend(dims)
        if numbers is not None:
            tensor = helper.make_tensor(tensor.name, kind, dims, numbers)
        self.weights.append(tensor)
        return tensor.name

    def node(self, op, inputs, **attributes):
        return self.nodes_of(op, inputs, [""], **attributes)[0]

    def nodes_of(self, op, inputs, ends, **attributes):
        """The tensors of a node with several outputs, whose names end in `ends`."""
        self.count += 1
        name = f"{op}_{self.count}"
        outputs = [f"{name}_out{end}" for end in ends]
        self.nodes.append(helper.make_node(op, inputs, outputs, name=name, **attributes))
        return outputs

    def save(self, path, inputs, output, out_shape, opset=13, declared=()):
        graph = helper.make_graph(
            self.nodes, self.name, inputs, [helper.make_tensor_value_info(output, TensorProto.FLOAT, out_shape)],
            self.weights, value_info=declared)
        model = helper.make_model(graph, producer_name="make_onnx_models",
                                  opset_imports=[helper.make_opsetid("", opset)])
        model.ir_version = 8
        path.write_bytes(model.SerializeToString())


def conv(g, x, channels, filters, size, stride=1):
    y = g.node("Conv", [x, g.weight(filters, channels, size, size)], kernel_shape=[size, size],
               strides=[stride, stride], pads=[size // 2] * 4)
    return g.node("BatchNormalization", [y] + [g.weight(filters) for _ in range(4)])


def bottleneck(g, x, channels, width, stride):
    y = g.node("Relu", [conv(g, x, channels, width, 1)])
    y = g.node("Relu", [conv(g, y, width, width, 3, stride)])
    y = conv(g, y, width, 4 * width, 1)
    if channels != 4 * width:
        x = conv(g, x, channels, 4 * width, 1, stride)
    return g.node("Relu", [g.node("Add", [y, x])])


def resnet50(folder):
    g = Graph("resnet50")
    x = g.node("Relu", [conv(g, "image", 3, 64, 7, 2)])
    x = g.node("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    channels = 64
    for stage, blocks in enumerate([3, 4, 6, 3]):
        width = 64 * 2**stage
        for block in range(blocks):
            x = bottleneck(g, x, channels, width, 2 if stage > 0 and block == 0 else 1)
            channels = 4 * width
    x = g.node("Flatten", [g.node("GlobalAveragePool", [x])])
    y = g.node("Gemm", [x, g.weight(1000, 2048), g.weight(1000)], transB=1)
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 3, 224, 224])
    g.save(folder / "resnet50.onnx", [image], y, ["N", 1000])


def linear(g, x, rows, cols):
    return g.node("Add", [g.node("MatMul", [x, g.weight(rows, cols)]), g.weight(cols)])


def heads(g, x, perm):
    shape = g.weight(4, numbers=[0, 0, 12, 64], kind=TensorProto.INT64)
    return g.node("Transpose", [g.node("Reshape", [x, shape])], perm=perm)


def layer_norm(g, x):
    two = g.weight(1, numbers=[2.0])
    difference = g.node("Sub", [x, g.node("ReduceMean", [x], axes=[-1])])
    variance = g.node("ReduceMean", [g.node("Pow", [difference, two])], axes=[-1])
    root = g.node("Sqrt", [g.node("Add", [variance, g.weight(1, numbers=[1e-12])])])
    scaled = g.node("Mul", [g.node("Div", [difference, root]), g.weight(768)])
    return g.node("Add", [scaled, g.weight(768)])


def gelu(g, x):
    erf = g.node("Erf", [g.node("Div", [x, g.weight(1, numbers=[1.4142135])])])
    half = g.node("Mul", [x, g.node("Add", [erf, g.weight(1, numbers=[1.0])])])
    return g.node("Mul", [half, g.weight(1, numbers=[0.5])])


def bert_block(folder):
    """As exporters write an encoder of BERT-base: norms and GELU in steps, masks added to scores."""
    g = Graph("bert_block")
    q, k, v = (linear(g, "x", 768, 768) for _ in range(3))
    scores = g.node("MatMul", [heads(g, q, [0, 2, 1, 3]), heads(g, k, [0, 2, 3, 1])])
    scores = g.node("Div", [scores, g.weight(1, numbers=[8.0])])
    weights = g.node("Softmax", [g.node("Add", [scores, g.weight(1, 1, 1, 128)])], axis=-1)
    context = g.node("MatMul", [weights, heads(g, v, [0, 2, 1, 3])])
    shape = g.weight(3, numbers=[0, 0, 768], kind=TensorProto.INT64)
    context = g.node("Reshape", [g.node("Transpose", [context], perm=[0, 2, 1, 3]), shape])
    first = layer_norm(g, g.node("Add", [linear(g, context, 768, 768), "x"]))
    inner = linear(g, gelu(g, linear(g, first, 768, 3072)), 3072, 768)
    y = layer_norm(g, g.node("Add", [inner, first]))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 128, 768])
    g.save(folder / "bert_block.onnx", [x], y, ["batch", 128, 768])


def odd(folder):
    """A convolution, then operators that have no layer, and a symbol that is not the batch's."""
    g = Graph("odd")
    y = conv(g, "image", 8, 8, 3)
    y = g.node("ConvTranspose", [y, g.weight(8, 4, 2, 2)], kernel_shape=[2, 2], strides=[2, 2], group=2)
    y = g.node("Conv", [y, g.weight(8, 8, 3, 3)], kernel_shape=[3, 3], pads=[2, 2, 1, 1])
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 8, "rows", 16])
    g.save(folder / "odd.onnx", [image], y, ["N", 8, None, 33])


def growing(folder):
    """What the decoder of a U-Net has, by opset 21."""
    g = Graph("growing")
    y = g.node("Conv", ["image", g.weight(16, 8, 3, 3)], kernel_shape=[3, 3], dilations=[2, 2], pads=[2] * 4)
    y = g.node("GroupNormalization", [y, g.weight(16), g.weight(16)], num_groups=4)
    y = g.node("Resize", [y, "", g.weight(4, numbers=[1.0, 1.0, 2.0, 2.0])], mode="nearest")
    y = g.node("ConvTranspose", [y, g.weight(16, 4, 3, 3), g.weight(4)], kernel_shape=[3, 3], strides=[2, 2],
               pads=[1] * 4, output_padding=[1, 1])
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 8, 16, 16])
    g.save(folder / "growing.onnx", [image], y, ["N", 4, 64, 64], opset=21)


def newer_block(folder):
    """An encoder of BERT-base by opset 20: norms and GELU are nodes, axes of a mean are an input."""
    g = Graph("newer_block")
    q, k, v = (linear(g, "x", 768, 768) for _ in range(3))
    scores = g.node("MatMul", [heads(g, q, [0, 2, 1, 3]), heads(g, k, [0, 2, 3, 1])])
    weights = g.node("Softmax", [g.node("Mul", [scores, g.weight(1, numbers=[0.125])])], axis=-1)
    context = g.node("MatMul", [weights, heads(g, v, [0, 2, 1, 3])])
    shape = g.weight(3, numbers=[0, 0, 768], kind=TensorProto.INT64)
    context = g.node("Reshape", [g.node("Transpose", [context], perm=[0, 2, 1, 3]), shape])
    norm = lambda y: g.node("LayerNormalization", [y, g.weight(768), g.weight(768)], axis=-1)
    first = norm(g.node("Add", [linear(g, context, 768, 768), "x"]))
    inner = linear(g, g.node("Gelu", [linear(g, first, 768, 3072)]), 3072, 768)
    y = norm(g.node("Add", [inner, first]))
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", 128, 768])
    g.save(folder / "newer_block.onnx", [x], y, ["batch", 128, 768], opset=20)


def pools(folder):
    """Averages that leave padding out, as ONNX does unless told otherwise, and that count it; three channels."""
    g = Graph("pools")
    window = {"kernel_shape": [3, 3], "strides": [2, 2], "pads": [1, 1, 1, 1]}
    y = g.node("AveragePool", ["image"], **window)
    y = g.node("AveragePool", [y], count_include_pad=1, **window)
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 3, 16, 16])
    g.save(folder / "pools.onnx", [image], y, ["N", 3, 4, 4])


def softmaxes(folder):
    """Over channels, over rows, and over columns, which are no layer."""
    g = Graph("softmaxes")
    y = "image"
    for axis in (1, -1, 2):
        y = g.node("Softmax", [y], axis=axis)
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 8, 16, 32])
    g.save(folder / "softmaxes.onnx", [image], y, ["N", 8, 16, 32])


def nothing(folder):
    """An operator that has no layer, alone."""
    g = Graph("nothing")
    y = g.node("NonZero", ["image"])
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["N", 8, 16, 16])
    g.save(folder / "nothing.onnx", [image], y, [4, None])


def value(name, *dims):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)


def unsound(folder):
    """Reads of tensors that nothing makes, that come later or of themselves, and one of no known shape."""
    def save(name, output):
        g.save(folder / f"{name}.onnx", [value("x", "N", 8, 16)], output, ["N", 8, 16])

    g = Graph("undefined")
    save("undefined", g.node("MatMul", ["x", "w9"]))
    g = Graph("cyclic")
    g.node("Add", ["x", "Add_2_out"])
    save("cyclic", g.node("Add", ["Add_1_out", "x"]))
    g = Graph("unordered")
    y = g.node("Relu", ["Tanh_2_out"])
    g.node("Tanh", ["x"])
    save("unordered", y)
    g = Graph("unknown")
    largest = g.node("TopK", ["x", g.weight(1, numbers=[5], kind=TensorProto.INT64)])
    save("unknown", g.node("MatMul", [g.node("Relu", [largest]), g.weight(16, 16)]))


def quantised(g, x):
    scale, zero = g.weight(), g.weight(kind=TensorProto.INT8)
    return g.node("DequantizeLinear", [g.node("QuantizeLinear", [x, scale, zero]), scale, zero])


def int8_weight(g, *dims):
    return g.node("DequantizeLinear", [g.weight(*dims, kind=TensorProto.INT8), g.weight(), g.weight(kind=TensorProto.INT8)])


def quantised_net(folder):
    """As ONNX Runtime's static quantisation writes it: both operands of products behind pairs of nodes."""
    g = Graph("quantised")
    y = g.node("Conv", [quantised(g, "x"), int8_weight(g, 16, 8, 3, 3), g.weight(16)], kernel_shape=[3, 3], pads=[1] * 4)
    y = quantised(g, g.node("Relu", [quantised(g, y)]))
    y = g.node("Flatten", [quantised(g, g.node("GlobalAveragePool", [y]))])
    y = quantised(g, g.node("MatMul", [y, int8_weight(g, 16, 32)]))
    y = quantised(g, g.node("Add", [y, int8_weight(g, 32)]))
    y = g.node("Gemm", [y, int8_weight(g, 10, 32), g.weight(10)], transB=1)
    g.save(folder / "quantised.onnx", [value("x", "N", 8, 16, 16)], y, ["N", 10])


def products(folder):
    """Products of activations, the second of parts that Slice, which is skipped, cuts out."""
    g = Graph("products")
    a = g.node("Transpose", ["x"], perm=[0, 1, 3, 2])
    y = g.node("MatMul", ["x", a])
    cut = g.node("Slice", [y] + [g.weight(1, numbers=[n], kind=TensorProto.INT64) for n in (0, 4, 3)])
    y = g.node("MatMul", [cut, g.node("Slice", ["x"] + [g.weight(1, numbers=[n], kind=TensorProto.INT64) for n in (0, 4, 2)])])
    g.save(folder / "products.onnx", [value("x", "N", 4, 8, 16)], y, ["N", 4, 8, 16])


def split(folder):
    """The second half of what Split, which is skipped, divides goes on."""
    g = Graph("split")
    _, second = g.nodes_of("Split", [g.node("MatMul", ["x", g.weight(16, 64)])], ["", "_2"], axis=2)
    y = g.node("MatMul", [second, g.weight(32, 8)])
    g.save(folder / "split.onnx", [value("x", "N", 8, 16)], y, ["N", 8, 8])


def numbers(g, *values):
    return g.weight(len(values), numbers=values, kind=TensorProto.INT64)


def norm(g, x, columns):
    return g.node("LayerNormalization", [x, g.weight(columns), g.weight(columns)], axis=-1)


def to_channels_last(g, x):
    return g.node("Transpose", [x], perm=[0, 2, 3, 1])


def to_channels_first(g, x):
    return g.node("Transpose", [x], perm=[0, 3, 1, 2])


def channels_last(folder):
    """Products on tensors whose rows lie in more dimensions than one."""
    def save(name, y, out_shape, *inputs):
        g.save(folder / f"{name}.onnx", inputs, y, out_shape, opset=20)

    g = Graph("rows")
    y = g.node("Gelu", [linear(g, "x", 32, 8)])
    save("rows", y, ["N", 4, 16, 8], value("x", "N", 4, 16, 32))
    g = Graph("stacked")
    y = g.node("MatMul", [g.node("MatMul", ["x", "y"]), g.weight(32, 8)])
    save("stacked", y, ["N", 4, 16, 8], value("x", "N", 4, 16, 24), value("y", "N", 4, 24, 32))
    g = Graph("flattened")
    rows = g.node("Reshape", ["x", numbers(g, -1, 16)])
    save("flattened", g.node("Gemm", [rows, g.weight(16, 4), g.weight(4)]), [None, 4], value("x", "N", 8, 16))
    g = Graph("means")
    y = g.node("ReduceMean", [g.node("Relu", ["x"]), numbers(g, 1, 2)], keepdims=0)
    save("means", g.node("Gemm", [y, g.weight(16, 3)]), ["N", 3], value("x", "N", 8, 4, 16))
    g = Graph("mixed")
    y = g.node("Reshape", [g.node("Relu", ["x"]), numbers(g, 3, 2)])
    save("mixed", g.node("MatMul", [y, g.weight(2, 5)]), [3, 5], value("x", 2, 3))


def convnext(folder):
    """Blocks of ConvNeXt: convolutions on NCHW, norms and products on NHWC."""
    g = Graph("convnext")

    def block(x, c):
        y = g.node("Conv", [x, g.weight(c, 1, 7, 7), g.weight(c)], group=c, pads=[3] * 4, kernel_shape=[7, 7])
        y = norm(g, to_channels_last(g, y), c)
        y = linear(g, g.node("Gelu", [linear(g, y, c, 4 * c)]), 4 * c, c)
        y = g.node("Mul", [y, g.weight(c)])
        return g.node("Add", [x, to_channels_first(g, y)])

    def norm_of_image(x, c):
        return to_channels_first(g, norm(g, to_channels_last(g, x), c))

    x = g.node("Conv", ["image", g.weight(32, 3, 4, 4), g.weight(32)], kernel_shape=[4, 4], strides=[4, 4])
    x = block(block(norm_of_image(x, 32), 32), 32)
    x = g.node("Conv", [norm_of_image(x, 32), g.weight(64, 32, 2, 2), g.weight(64)], kernel_shape=[2, 2], strides=[2, 2])
    x = g.node("Flatten", [g.node("GlobalAveragePool", [block(x, 64)])])
    y = g.node("Gemm", [norm(g, x, 64), g.weight(10, 64), g.weight(10)], transB=1)
    g.save(folder / "convnext.onnx", [value("image", "N", 3, 56, 56)], y, ["N", 10], opset=20)


def swin(folder):
    """A stage of Swin: attention in windows, which lie in the first dimension with the batch, the second time in
    windows that are shifted and masked, and the merging of patches."""
    g = Graph("swin")

    def view(x, *shape):
        return g.node("Reshape", [x, numbers(g, *shape)])

    def part(x, axes, starts, ends, steps):
        return g.node("Slice", [x, numbers(g, *starts), numbers(g, *ends), numbers(g, *axes), numbers(g, *steps)])

    def rolled(x, shift):
        for axis in (1, 2):
            halves = part(x, [axis], [shift], [8], [1]), part(x, [axis], [0], [shift], [1])
            x = g.node("Concat", halves, axis=axis)
        return x

    def attention(x, is_masked):
        qkv = g.node("Transpose", [view(linear(g, x, 32, 96), -1, 16, 3, 2, 16)], perm=[2, 0, 3, 1, 4])
        q, k, v = (g.node("Gather", [qkv, g.weight(numbers=[i], kind=TensorProto.INT64)], axis=0) for i in range(3))
        q = g.node("Mul", [q, g.weight(numbers=[0.25])])
        scores = g.node("MatMul", [q, g.node("Transpose", [k], perm=[0, 1, 3, 2])])
        scores = g.node("Add", [scores, g.weight(1, 2, 16, 16)])
        if is_masked:
            scores = g.node("Add", [view(scores, -1, 4, 2, 16, 16), g.weight(1, 4, 1, 16, 16)])
            scores = view(scores, -1, 2, 16, 16)
        y = g.node("MatMul", [g.node("Softmax", [scores], axis=-1), v])
        return linear(g, view(g.node("Transpose", [y], perm=[0, 2, 1, 3]), -1, 16, 32), 32, 32)

    def block(x, is_shifted):
        y = view(norm(g, x, 32), 0, 8, 8, 32)
        y = rolled(y, 2) if is_shifted else y
        y = g.node("Transpose", [view(y, 0, 2, 4, 2, 4, 32)], perm=[0, 1, 3, 2, 4, 5])
        y = attention(view(y, -1, 16, 32), is_shifted)
        y = g.node("Transpose", [view(y, -1, 2, 2, 4, 4, 32)], perm=[0, 1, 3, 2, 4, 5])
        y = view(y, -1, 8, 8, 32)
        y = rolled(y, 6) if is_shifted else y
        x = g.node("Add", [x, view(y, 0, 64, 32)])
        y = linear(g, g.node("Gelu", [linear(g, norm(g, x, 32), 32, 128)]), 128, 32)
        return g.node("Add", [x, y])

    x = g.node("Conv", ["image", g.weight(32, 3, 4, 4), g.weight(32)], kernel_shape=[4, 4], strides=[4, 4])
    x = norm(g, g.node("Transpose", [view(x, 0, 32, 64)], perm=[0, 2, 1]), 32)
    x = view(block(block(x, False), True), 0, 8, 8, 32)
    corners = [part(x, [1, 2], [row, col], [8, 8], [2, 2]) for col in (0, 1) for row in (0, 1)]
    x = norm(g, view(g.node("Concat", corners, axis=-1), 0, 16, 128), 128)
    x = g.node("ReduceMean", [g.node("MatMul", [x, g.weight(128, 64)]), numbers(g, 1)], keepdims=0)
    y = g.node("Gemm", [x, g.weight(10, 64), g.weight(10)], transB=1)
    g.save(folder / "swin.onnx", [value("image", "N", 3, 32, 32)], y, ["N", 10], opset=18)


def not_simulated(folder):
    """Products and convolutions that no layer stands for, each of the input; and an operator of another domain."""
    g = Graph("not_simulated")
    byte = lambda *dims: g.weight(*dims, kind=TensorProto.INT8)
    scale, zero = g.weight(), byte()
    rows = g.node("Flatten", ["x"])
    g.node("QLinearConv", ["x", scale, zero, byte(32, 16, 3, 3), scale, zero, scale, zero], pads=[1] * 4)
    g.node("ConvInteger", ["x", byte(8, 16, 1, 1)])
    g.node("MatMulInteger", [rows, byte(3136, 10)])
    g.node("QLinearMatMul", [rows, scale, zero, byte(3136, 5), scale, zero, scale, zero])
    g.node("Einsum", ["x", g.weight(8, 16)], equation="nchw, kc -> nkhw")
    g.node("Einsum", ["x", g.weight(14, 5)], equation="...hw,wk->...hk")
    steps = g.node("Transpose", [g.node("Reshape", ["x", numbers(g, 0, 16, 196)])], perm=[2, 0, 1])
    for op, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
        g.node(op, [steps, g.weight(1, gates * 32, 16), g.weight(1, gates * 32, 32)], hidden_size=32)
    y = g.node("Gemm", [g.node("Flatten", [g.node("GlobalAveragePool", ["x"])]), g.weight(16, 10)])
    g.save(folder / "not_simulated.onnx", [value("x", "N", 16, 14, 14)], y, ["N", 10])
    for name, side in (("foreign", 14), ("foreign_sides", "side")):
        g = Graph(name)
        x = g.node("Conv", ["x", g.weight(32, 16, 3, 3)], pads=[1] * 4)
        x = g.node("Foreign", [x], domain="com.acme")
        y = g.node("Conv", [x, g.weight(32, 32, 3, 3)], auto_pad="SAME_UPPER", strides=[2, 2])
        g.save(folder / f"{name}.onnx", [value("x", "N", 16, 14, 14)], y, ["N", 32, 7, 7],
               declared=[value(x, "N", 32, side, side)])


def gates(folder):
    """x * sigmoid(x) in both orders, and a sigmoid that is read twice."""
    g = Graph("gates")
    y = g.node("MatMul", ["x", g.weight(16, 16)])
    y = g.node("MatMul", [g.node("Mul", [y, g.node("Sigmoid", [y])]), g.weight(16, 16)])
    y = g.node("MatMul", [g.node("Mul", [g.node("Sigmoid", [y]), y]), g.weight(16, 16)])
    gate = g.node("Sigmoid", [y])
    y = g.node("Add", [g.node("Mul", [y, gate]), gate])
    g.save(folder / "gates.onnx", [value("x", "N", 8, 16)], y, ["N", 8, 16])


def sums(folder):
    """One node that adds up three activations, of which the first two may be the same."""
    g = Graph("sums")
    a, b = (g.node("MatMul", ["x", g.weight(16, 16)]) for _ in range(2))
    y = g.node("Sum", [g.node("Sum", [a, b, "x"]), a, b])
    y = g.node("Sum", [y, y, a])
    g.save(folder / "sums.onnx", [value("x", "N", 8, 16)], y, ["N", 8, 16])


def main():
    folder = pathlib.Path(sys.argv[1])
    resnet50(folder)
    bert_block(folder)
    odd(folder)
    nothing(folder)
    growing(folder)
    newer_block(folder)
    pools(folder)
    softmaxes(folder)
    unsound(folder)
    quantised_net(folder)
    products(folder)
    split(folder)
    channels_last(folder)
    convnext(folder)
    swin(folder)
    not_simulated(folder)
    gates(folder)
    sums(folder)


if __name__ == "__main__":
    main()
