#include <gtest/gtest.h>

#include "sim/config/load.hpp"
#include "tests/cli/mistake.hpp"
#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

class RunMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(RunMistake, GetsOneMessageAndItsStatusAndLeavesNoFiles) {
  const TemporaryHome home;
  std::vector<std::string> arguments = GetParam().arguments;
  arguments.insert(arguments.begin(), "run");
  const ChildResult result = tcsim(arguments);
  EXPECT_EQ(result.errors, GetParam().message + "\n");
  EXPECT_EQ(result.status, GetParam().status);
  EXPECT_EQ(result.output, "");
  EXPECT_TRUE(std::filesystem::is_empty("."));
}

/// What else the user may write for the word of a machine.
std::string choice() {
  std::string names;
  for (const std::string& name : config::machine_names())
    names += (names.empty() ? "" : ", ") + name;
  return "(machines: " + names + "; or give a path ending in .yaml)";
}

INSTANTIATE_TEST_SUITE_P(
    Run, RunMistake,
    ::testing::Values(
        Mistake{"UnknownMachine",
                {"gemm:64", "-m", "v10"},
                2,
                "v10: no such machine; did you mean \"v100\"? " + choice()},
        Mistake{"MachineFileMissing",
                {"gemm:64", "-m", "./mine.yaml"},
                5,
                "./mine.yaml: cannot read: No such file or directory"},
        Mistake{"UnknownKey",
                {"gemm:64", "-m", "v100", "--set", "sm.sub_core=3"},
                2,
                "--set #1: sm.sub_core: unknown key; did you mean \"sm.sub_cores\"?"},
        Mistake{"SparseDepthThatNoInstructionDivides",
                {"gemm:m=64,n=64,k=72,sparse=1", "-m", "a100"},
                3,
                "a100: gemm 64x64x72 fp16->fp32 NT 2:4 sparse A: k = 72 is not a "
                "multiple of 32, the k of one HMMA.SP.16832.F32"},
        Mistake{"SparseOnAMachineWithout",
                {"gemm:64,sparse=1", "-m", "v100"},
                3,
                "v100: fp16 has no 2:4 sparse form on this machine's tensor cores"},
        Mistake{"NoTensorPathForTheFormat",
                {"gemm:64,dtype=int8", "-m", "v100", "--unit", "tensor"},
                3,
                "v100: int8 has no tensor-core path on this machine (formats: fp16). "
                "Use --unit cuda-core, or a machine that lists int8."},
        Mistake{"Fp32IsOfCudaCoresOnEveryMachine",
                {"gemm:64,dtype=fp32", "-m", "v100", "--unit", "tensor"},
                3,
                "v100: fp32 has no tensor-core path on this machine (formats: fp16). "
                "Use --unit cuda-core."},
        Mistake{"Int8OnAMachineWithoutDp4a",
                {"gemm:64,dtype=int8", "-m", "p100"},
                3,
                "p100: int8 has no tensor-core path on this machine (formats: none). "
                "Use a machine that lists int8."},
        Mistake{"NetworkThatTakesNoUnit",
                {"net:mobilenet_v1", "--precision", "int8", "-m", "v100", "-q", "--no-files"},
                3,
                "net:mobilenet_v1: --precision int8: conv1 (forward): v100: int8 has no "
                "tensor-core path on this machine (formats: fp16). Use --precision fp16, or a "
                "machine that lists int8."},
        Mistake{"NetworkOnAMachineWithoutTensorCores",
                {"net:resnet50", "-m", "p100", "-q", "--no-files"},
                3,
                "net:resnet50: --precision fp16: conv1 (forward): p100: fp16 has no tensor-core "
                "path on this machine (formats: none). Use --precision fp32, or a machine that "
                "lists fp16."},
        Mistake{"NetworkOfVectorKernelsThatTheMachineLacks",
                {"net:gpt2", "-m", "p100", "-q", "--no-files"},
                3,
                "net:gpt2: --precision fp16: words (forward): p100: copy 1024x768 fp16: no fp16 "
                "vector kernels for pascal; use --precision fp32"},
        Mistake{"PackedWeightsThatFp32DoesNotHave",
                {"net:gpt2", "--weights", "int8", "-m", "p100", "-q", "--no-files"},
                3,
                "net:gpt2: --precision fp16: words (forward): p100: copy 1024x768 fp16: no fp16 "
                "vector kernels for pascal"},
        Mistake{"PackedWeightsOnQuadPairs",
                {"net:lenet", "--weights", "int4", "-m", "v100", "-q", "--no-files"},
                3,
                "net:lenet: --weights int4: f5 (forward): v100: gemm 1x120x400 fp16->fp32 NT int4 "
                "weights + bias: packed weights need HMMA of m16n8k8 or m16n8k16 (Turing and "
                "later), which volta lacks"},
        Mistake{"PackedWeightsThatNoPrecisionHelps",
                {"net:lenet", "--weights", "int4", "--precision", "bf16", "-m", "v100", "-q",
                 "--no-files"},
                3,
                "net:lenet: --precision bf16: c1 (forward): v100: bf16 has no tensor-core path on "
                "this machine (formats: fp16). Use a machine that lists bf16."},
        Mistake{"NetworkInAPrecisionThatTheMachineLacks",
                {"net:lenet", "--precision", "fp8", "-m", "a100", "-q", "--no-files"},
                3,
                "net:lenet: --precision fp8: f5 (quantize): a100: quantize_e4m3 1x400 bf16: "
                "conversion to E4M3 (F2FP) is generated for hopper alone, not for ampere"},
        Mistake{"Fp8InAVectorOperation",
                {"softmax:rows=8,cols=8,dtype=fp8", "-m", "h100"},
                3,
                "softmax:rows=8,cols=8,dtype=fp8: no softmax kernel is generated for "
                "dtype=fp8"},
        Mistake{"Fp8InAttention",
                {"attn:heads=1,n=64,d=64,dtype=e5m2", "-m", "h100"},
                3,
                "attn:heads=1,n=64,d=64,dtype=e5m2: no attention kernel is generated "
                "for dtype=e5m2"},
        Mistake{"FormatThatOnlyCudaCoresHave",
                {"gemm:64,dtype=bf16", "-m", "v100", "--unit", "tensor"},
                3,
                "v100: bf16 has no tensor-core path on this machine (formats: fp16). "
                "Use --unit cuda-core, or a "
                "machine that lists bf16."},
        Mistake{"NoTensorCoresAtAll",
                {"gemm:64", "-m", "p100", "--unit", "tensor"},
                3,
                "p100: fp16 has no tensor-core path on this machine (formats: none). "
                "Use --unit cuda-core, or a "
                "machine that lists fp16."},
        Mistake{"ConvolutionThatTheMachineLacks",
                {"conv:n=1,hw=8,c=8,k=8,rs=3,pad=1,dtype=int8", "-m", "v100", "--unit", "tensor"},
                3,
                "v100: int8 has no tensor-core path on this machine (formats: fp16). "
                "Use --unit cuda-core, or a machine that lists int8."},
        Mistake{"SumsAsOperands",
                {"gemm:64,dtype=int32", "-m", "v100"},
                3,
                "v100: int32 has no tensor-core path on this machine (formats: fp16). It is a type "
                "of sums."},
        Mistake{"FactorsOfBlocksWithoutFp8",
                {"gemm:64,scales=block", "-m", "lab-tiny"},
                3,
                "lab-tiny: gemm 64x64x64 fp16->fp32 NT block scales: factors of blocks need FP8 "
                "operands and FP32 sums"},
        Mistake{"BiasOfFp64Sums",
                {"gemm:64,dtype=fp64,bias=1", "-m", "a100"},
                3,
                "a100: gemm 64x64x64 fp64->fp64 NT + bias: scale, bias, residual and activation "
                "compute in FP32: they cannot follow FP64 sums"},
        Mistake{"StepsAfterAGradient",
                {"conv:n=1,hw=8,c=64,k=64,rs=3,pass=wgrad,post=bias", "-m", "a100"},
                3,
                "a100: conv wgrad 1x8x8x64 * 64x3x3 stride 1 pad 0 fp16->fp32 NHWC post bias: "
                "scale, bias, residual and relu need a forward pass"},
        Mistake{"FusedStepsOfBytesOnCudaCores",
                {"conv:n=1,hw=14,c=16,k=16,rs=3,pad=1,dtype=int8,out=fp16,post=scale+bias", "-m",
                 "v100"},
                3,
                "v100: conv fwd 1x14x14x16 * 16x3x3 stride 1 pad 1 int8->int32 NHWC out fp16 post "
                "scale+bias: im2col_gemm: scale, bias, residual and relu are fused only into "
                "implicit GEMM; fused=0 runs them after it"},
        Mistake{"GradientInFp64",
                {"conv:n=1,hw=8,c=16,k=16,rs=3,pass=wgrad,dtype=fp64", "-m", "a100"},
                3,
                "a100: conv wgrad 1x8x8x16 * 16x3x3 stride 1 pad 0 fp64->fp64 NHWC: im2col_gemm: "
                "patches are written for forward passes only"},
        Mistake{"StepsAfterFp64Sums",
                {"conv:n=1,hw=8,c=16,k=20,rs=3,post=bias,fused=0,dtype=fp64", "-m", "a100"},
                3,
                "a100: conv fwd 1x8x8x16 * 20x3x3 stride 1 pad 0 fp64->fp64 NHWC post bias "
                "unfused: scale, bias, residual, relu and pool kernels take fp16, bf16 or fp32 "
                "results and an even number of channels"},
        Mistake{"BytesAcrossK",
                {"conv:n=1,hw=8,c=64,k=64,rs=3,pass=wgrad,dtype=int8", "-m", "a100"},
                3,
                "a100: conv wgrad 1x8x8x64 * 64x3x3 stride 1 pad 0 int8->int32 NHWC: LDSM "
                "transposes 16-bit elements only: 8-bit and sparse 32-bit operands must lie along "
                "k"},
        Mistake{"FewQueriesInFp8",
                {"attn:heads=4,n=64,d=64,dtype=e4m3", "-m", "h100"},
                3,
                "h100: attention b1 h4 64x64 d64 e4m3: flash-attention-3 has no such kernel: fewer "
                "than 65 queries"},
        Mistake{"AlgorithmWithoutAKernel",
                {"conv:n=1,hw=8,c=8,k=8,rs=1,algo=winograd_2x2", "-m", "v100"},
                3,
                "v100: conv fwd 1x8x8x8 * 8x1x1 stride 1 pad 0 fp16->fp32 NHWC: "
                "winograd_2x2: Winograd transforms are those of 3 x 3 filters with "
                "stride 1 and without dilation"},
        Mistake{"ListMissing",
                {"csv:none.csv", "-m", "v100"},
                5,
                "none.csv: cannot read: No such file or directory"},
        Mistake{"TileMalformed",
                {"gemm:64", "-m", "v100", "--tile", "huge"},
                2,
                "tcsim run: --tile: tile 'huge' is not of the form "
                "128x128x32_s5_w2x2, 128x128x32 or 128x128, nor the name of a kernel that has one"},
        Mistake{"Fp8AcrossK",
                {"gemm:m=200,n=520,k=384,dtype=e4m3,layout=nn", "-m", "h100"},
                3,
                "h100: gemm 200x520x384 e4m3->fp32 NN: wgmma takes operands across k of 16 bits "
                "or TF32 only: others must lie along k (layout nt)"},
        Mistake{"PackedWeightsOfATypeWithoutMma",
                {"gemm:m=64,n=64,k=64,weights=int4,dtype=bf16", "-m", "v100"},
                3,
                "v100: bf16 has no tensor-core path on this machine (formats: fp16). Use a machine "
                "that lists bf16."},
        Mistake{"NoTileOfTheMenuFits",
                {"gemm:128", "-m", "lab-tiny", "--set", "sm.shared_memory.max_bytes_per_cta=32768"},
                3,
                "lab-tiny: gemm 128x128x128 fp16->fp32 NT: no tile of the menu fits into an SM of "
                "the machine"},
        Mistake{"SeveralMachinesOneWrong",
                {"gemm:64", "-m", "v100", "-m", "a10"},
                2,
                "a10: no such machine; did you mean \"a100\"? " + choice()}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace tcsim::cli
