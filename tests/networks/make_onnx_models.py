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

    def save(self, path, inputs, output, out_shape, opset=13):
        graph = helper.make_graph(
            self.nodes, self.name, inputs, [helper.make_tensor_value_info(output, TensorProto.FLOAT, out_shape)],
            self.weights)
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


if __name__ == "__main__":
    main()
