#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sim/config/load.hpp"
#include "sim/files/read_file.hpp"
#include "sim/tensor_file/npy.hpp"
#include "tests/cli/tcsim_process.hpp"
#include "tests/support/tensors.hpp"

namespace tcsim::cli {
namespace {

namespace fs = std::filesystem;
using tensor_file::StoredType;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

class Values : public ::testing::Test {
 protected:
  static Json run_json(Words words) {
    const Words tail{"--values", "-f", "json", "--no-files"};
    words.insert(words.begin(), "run");
    words.insert(words.end(), tail.begin(), tail.end());
    const ChildResult result = tcsim(words);
    EXPECT_EQ(result.status, 0) << result.errors;
    return Json::parse(result.output)["values"];
  }

  static void write_array(const std::string& file, StoredType type, std::vector<std::int64_t> shape,
                          const std::vector<std::uint64_t>& patterns) {
    test::write_npy(file, test::from_patterns(type, std::move(shape), patterns));
  }

  TemporaryHome home_;
};

TEST_F(Values, LeaveNoArraysOfTheRunThatTheyReplace) {
  const auto status = [](Words words) {
    words.insert(words.begin(), {"run", "-m", "lab-tiny", "--values", "-o", "out", "-q"});
    return tcsim(words).status;
  };
  ASSERT_EQ(status({"conv:n=1,hw=6,c=16,k=24,rs=3,pad=1,dtype=bf16"}), 0);
  EXPECT_TRUE(fs::exists("out/y.npy") && fs::exists("out/y.npy.json"));
  ASSERT_EQ(status({"gemm:64", "--force"}), 0);
  EXPECT_TRUE(fs::exists("out/d.npy"));
  EXPECT_FALSE(fs::exists("out/y.npy") || fs::exists("out/y.npy.json"));
}

TEST_F(Values, EqualTheReferenceOnV100AndA100InTheirFormats) {
  const std::string shape = "gemm:m=200,n=136,k=72,dtype=";
  const std::pair<const char*, const char*> wishes[] = {
      {"v100", "fp16"}, {"a100", "fp16"}, {"a100", "bf16"}, {"a100", "tf32"}, {"a100", "int8"}};
  for (const auto& [machine, dtype] : wishes) {
    const Json values = run_json({shape + dtype, "-m", machine});
    EXPECT_EQ(values["differences_from_reference"], 0) << machine << " " << dtype;
    EXPECT_EQ(values["racing_bytes"], 0) << machine << " " << dtype;
    EXPECT_EQ(values["elements"], 200 * 136);
  }
}

TEST_F(Values, OfSlicesThatTakeTurnsEqualTheReference) {
  const Json values = run_json(
      {"gemm:m=200,n=136,k=328", "-m", "a100", "--tile", "64x64x64_s5_w2x2_splitk3_serial"});
  EXPECT_EQ(values["differences_from_reference"], 0);
  EXPECT_EQ(values["racing_bytes"], 0);
}

TEST_F(Values, OfASparseProductEqualTheReference) {
  const Json values = run_json({"gemm:m=200,n=136,k=96,sparse=1", "-m", "a100", "--seed", "7"});
  EXPECT_EQ(values["differences_from_reference"], 0);
  EXPECT_EQ(values["racing_bytes"], 0);
  const ChildResult result =
      tcsim({"run", "gemm:64,sparse=1,act=relu", "-m", "lab-tiny", "--values", "--no-files"});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.errors, HasSubstr("without an epilogue"));
}

TEST_F(Values, EqualTheReferenceWhereTwoKernelsShareTheWork) {
  const std::pair<const char*, const char*> tiles[] = {
      {"v100", "64x64_splitk3"}, {"a100", "64x64x64_s5_w1x2_sliced2_splitk2"}};
  for (const auto& [machine, tile] : tiles) {
    const Json values = run_json({"gemm:m=72,n=40,k=520", "-m", machine, "--tile", tile});
    EXPECT_EQ(values["differences_from_reference"], 0) << tile;
    EXPECT_EQ(values["racing_bytes"], 0) << tile;
  }
}

TEST_F(Values, SplitKRunsTwoKernelsWithWarmWeightsElsewhere) {
  const ChildResult result =
      tcsim({"run", "gemm:m=72,n=40,k=520", "-m", "a100", "--tile", "64x64x64_s5_w2x2_splitk2",
             "--warm-l2", "--rotate-weights", "-f", "json", "--no-files"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json kernels = Json::parse(result.output)["kernels"];
  ASSERT_EQ(kernels.size(), 2);
  EXPECT_EQ(kernels[0]["tile"], "64x64x64_s5_w2x2_splitk2");
  EXPECT_EQ(kernels[1]["tile"], "");
}

TEST_F(Values, RunsWithWeightsInTurnHaveResultsOfTheirOwn) {
  // Six results of 128 KiB do not fit the L2 of 512 KiB: each drives one of them out.
  const ChildResult result = tcsim({"run", "gemm:m=256,n=256,k=32", "-m", "lab-tiny", "--warm-l2",
                                    "--rotate-weights", "-f", "json", "--no-files"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_NEAR(Json::parse(result.output)["memory"]["dram_write_bytes"].get<double>(), 131072,
              16384);
}

TEST_F(Values, EachKernelOfSplitKCanBeWritten) {
  const Words words{"trace", "emit",   "gemm:m=72,n=40,k=520",     "-m",
                    "a100",  "--tile", "64x64x64_s5_w2x2_splitk2", "--kernel"};
  const auto emitted = [&](const char* kernel) {
    Words all = words;
    all.emplace_back(kernel);
    return tcsim(all);
  };
  EXPECT_THAT(emitted("1").output, HasSubstr("kernel gemm_fp16_fp32_64x64x64_s5_w2x2_splitk2"));
  EXPECT_THAT(emitted("2").output, HasSubstr("kernel splitk_reduce_fp32_fp16_2"));
  EXPECT_EQ(emitted("3").status, 2);
  EXPECT_THAT(emitted("3").errors, HasSubstr("--kernel: 3 is not one of 1 to 2"));
}

TEST_F(Values, CudaCoresTakeWhatTheTensorCoresLackAndSaySo) {
  const ChildResult result =
      tcsim({"run", "gemm:64,dtype=int8", "-m", "v100", "--values", "--no-files"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("note: v100 has no tensor-core instruction for int8 "
                                       "(formats: fp16), so CUDA cores multiply as with --unit "
                                       "cuda-core"));
  EXPECT_THAT(result.output, HasSubstr("unit cuda-core"));
}

TEST_F(Values, CudaCoresTakeATypeWhoseInstructionsWereRemoved) {
  std::string text =
      files::read_file(config::configs_folder() / "lab-tiny.yaml", files::FileKind::kMachine);
  std::string without;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find("\"IMMA.") == std::string::npos) without += line + "\n";
  std::ofstream("mine.yaml") << without;
  const ChildResult result =
      tcsim({"run", "gemm:64,dtype=int8", "-m", "./mine.yaml", "--values", "--no-files"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("has no tensor-core instruction for int8"));
}

TEST_F(Values, CudaCoresTakeAllWithoutTensorCores) {
  std::ofstream("mine.yaml")
      << "base: lab-tiny\nname: mine\nsm: {tensor: {cores_per_sub_core: 0}}\n";
  EXPECT_THAT(tcsim({"check", "mine.yaml"}).output, HasSubstr("no mistakes"));
  const ChildResult result =
      tcsim({"run", "gemm:64", "-m", "./mine.yaml", "--values", "--no-files"});
  EXPECT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.errors, HasSubstr("has no tensor-core instruction for fp16 (formats: none)"));
  EXPECT_THAT(result.output, HasSubstr("unit cuda-core"));
  EXPECT_THAT(result.output, HasSubstr("arithmetic of CUDA cores"));
}

/// CUDA cores take what the tensor cores of the machine lack, unless tensor cores are asked for.
TEST_F(Values, AFormatThatTheMachineLacksIsNotCovered) {
  for (const char* dtype : {"bf16", "tf32", "int8"}) {
    const ChildResult result = tcsim({"run", std::string("gemm:m=200,n=136,k=72,dtype=") + dtype,
                                      "-m", "v100", "--values", "--unit", "tensor"});
    EXPECT_EQ(result.status, 3) << dtype;
    EXPECT_THAT(result.errors, HasSubstr("has no tensor-core path on this machine"));
  }
}

TEST_F(Values, IntegersAreExactAndZerosStayZero) {
  const Json integers = run_json({"gemm:64,out=fp32", "-m", "lab-tiny", "--inputs", "integers"});
  EXPECT_EQ(integers["error"]["wrong"], 0);
  EXPECT_TRUE(integers["error_with_conversion"].is_null());
  const Json zeros = run_json({"gemm:64", "-m", "lab-tiny", "--inputs", "zeros"});
  EXPECT_EQ(zeros["specials"]["zeros"], 64 * 64);
}

TEST_F(Values, DependOnTheSeedAlone) {
  const Words words{"gemm:64", "-m", "lab-tiny", "--inputs", "normal", "--seed", "9"};
  EXPECT_EQ(run_json(words), run_json(words));
  EXPECT_NE(run_json(words), run_json({"gemm:64", "-m", "lab-tiny", "--inputs", "normal"}));
}

TEST_F(Values, Tf32RoundsWhatItTakesAndBf16RoundsMore) {
  const Json tf32 = run_json({"gemm:64,dtype=tf32", "-m", "lab-tiny"});
  const Json bf16 = run_json({"gemm:64,dtype=bf16", "-m", "lab-tiny"});
  EXPECT_LE(tf32["conversion"]["a"]["max_relative"].get<double>(), 0x1p-11);
  EXPECT_LE(bf16["conversion"]["a"]["max_relative"].get<double>(), 0x1p-8);
  EXPECT_GT(bf16["conversion"]["a"]["max_relative"].get<double>(), 0x1p-10);
}

TEST_F(Values, MultiplyTwoFilesAndWriteTheProduct) {
  // A = 2 on the diagonal, B counts: D = 2 B.
  std::vector<std::uint64_t> a(std::size_t{16} * 16);
  std::vector<std::uint64_t> b(std::size_t{16} * 8);
  for (std::size_t i = 0; i < 16; ++i) a[i * 17] = 0x40000000;                 // 2.0f
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = 0x4200 + (i << 1 & 0x7e);  // FP16 near 3
  write_array("a.npy", StoredType::kFp32, {16, 16}, a);
  write_array("b.npy", StoredType::kFp16, {16, 8}, b);
  const ChildResult result = tcsim({"run", "gemm:m=16,n=8,k=16", "-m", "lab-tiny", "--values",
                                    "--a", "a.npy", "--b", "b.npy", "-o", "out"});
  ASSERT_EQ(result.status, 0) << result.errors;
  EXPECT_THAT(result.output, HasSubstr("A a.npy, B b.npy"));
  const tensor_file::Tensor d = tensor_file::read_npy("out/d.npy");
  EXPECT_EQ(d.type, StoredType::kFp16);
  EXPECT_EQ(d.shape, (std::vector<std::int64_t>{16, 8}));
  for (std::size_t i = 0; i < b.size(); ++i)
    ASSERT_EQ(tensor_file::pattern(d, static_cast<std::int64_t>(i)), b[i] + 0x400) << i;
}

TEST_F(Values, OfBytesOnCudaCoresTakeFilesAndReals) {
  // A = 2 on the diagonal: the rows of D are twice the first of B.
  std::vector<std::uint64_t> a(std::size_t{16} * 64);
  std::vector<std::uint64_t> b(std::size_t{64} * 8);
  for (std::size_t i = 0; i < 16; ++i) a[i * 65] = 2;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = i * 37 % 256;
  write_array("a.npy", StoredType::kInt8, {16, 64}, a);
  write_array("b.npy", StoredType::kInt8, {64, 8}, b);
  const ChildResult result =
      tcsim({"run", "gemm:m=16,n=8,k=64,dtype=int8", "-m", "v100", "--unit", "cuda-core",
             "--values", "--a", "a.npy", "--b", "b.npy", "-o", "out"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const tensor_file::Tensor d = tensor_file::read_npy("out/d.npy");
  EXPECT_EQ(d.type, StoredType::kInt32);
  for (std::int64_t i = 0; i < 16 * 8; ++i)
    ASSERT_EQ(static_cast<std::int32_t>(tensor_file::pattern(d, i)),
              2 * static_cast<std::int8_t>(b[static_cast<std::size_t>(i)]))
        << i;
  const Json quantized =
      run_json({"gemm:64,dtype=int8", "-m", "v100", "--quantize", "per-channel"});
  EXPECT_EQ(quantized["differences_from_reference"], 0);
  EXPECT_EQ(quantized["quantization"]["scales_b"].size(), 64u);
}

TEST_F(Values, StoreBf16WithANoteBesideIt) {
  ASSERT_EQ(tcsim({"run", "gemm:64,dtype=bf16,out=bf16", "-m", "lab-tiny", "--values", "-o", "out"})
                .status,
            0);
  EXPECT_EQ(Json::parse(text_of("out/d.npy.json"))["dtype"], "bfloat16");
  EXPECT_EQ(tensor_file::read_npy("out/d.npy").type, StoredType::kBf16);
}

TEST_F(Values, AreInTheFilesOfTheRun) {
  ASSERT_EQ(tcsim({"run", "gemm:64", "-m", "lab-tiny", "--values", "-o", "out"}).status, 0);
  const Json stats = Json::parse(text_of("out/stats.json"));
  EXPECT_EQ(stats["values"]["elements"], 64 * 64);
  EXPECT_EQ(stats["values"]["inputs"]["a"], "uniform");
}

TEST_F(Values, RunForEveryRowOfAList) {
  std::ofstream("list.csv") << "op,dtype_in,dtype_acc,params\n"
                               "gemm,fp16,fp32,m=64;n=64;k=64\n";
  const ChildResult result =
      tcsim({"run", "csv:list.csv", "-m", "lab-tiny", "--values", "--seed", "4", "-o", "out"});
  ASSERT_EQ(result.status, 0) << result.errors;
  const Json stats = Json::parse(text_of("out/rows/0001-lab-tiny/stats.json"));
  EXPECT_EQ(stats["values"]["inputs"]["seed"], 4);
}

TEST_F(Values, QuantisationReportsItsErrorAgainstReals) {
  const Json per_tensor =
      run_json({"gemm:64,dtype=int8", "-m", "lab-tiny", "--quantize", "per-tensor"});
  EXPECT_NEAR(per_tensor["quantization"]["error"]["norm_relative"].get<double>(), 0.006, 0.003);
  EXPECT_TRUE(per_tensor["quantization"]["output"].is_null());
  EXPECT_EQ(per_tensor["differences_from_reference"], 0);
  const Json per_channel = run_json(
      {"gemm:64,dtype=int8", "-m", "lab-tiny", "--quantize", "per-channel,entropy,requantize"});
  EXPECT_EQ(per_channel["quantization"]["scales_b"].size(), 64u);
  EXPECT_GT(per_channel["quantization"]["output"]["error"]["norm_relative"].get<double>(), 0);
}

TEST_F(Values, MistakesOfQuantisationAreNamed) {
  write_array("scales.npy", StoredType::kFp32, {1, 64}, [] {
    std::vector<std::uint64_t> patterns(64, 0x3f800000);
    patterns[5] = 0x7fc00000;  // NaN
    return patterns;
  }());
  const std::vector<std::pair<Words, std::string>> mistakes = {
      {{"gemm:64,dtype=int8", "--quantize", "per-chanel"},
       "tcsim run: --quantize: unknown word 'per-chanel'; did you mean \"per-channel\"?\n"},
      {{"gemm:64,dtype=int8", "--quantize", "per-channel,min-max,entropy"},
       "tcsim run: --quantize: 'min-max' and 'entropy' both set the calibration\n"},
      {{"gemm:64,dtype=int8", "--quantize", "scale-a=1,scale-a=2"},
       "tcsim run: --quantize: 'scale-a=1' and 'scale-a=2' both set the scale of A\n"},
      {{"gemm:64,dtype=int8", "--quantize", "scale-b="},
       "tcsim run: --quantize: scale-b: '' is neither a number nor a .npy file\n"},
      {{"gemm:64,dtype=int8", "--quantize", "per-tensor,scale-a=nan"},
       "tcsim run: --quantize: scale-a: nan is not a scale; scales are positive numbers from "
       "1.2e-38 "
       "to "
       "3.4e38\n"},
      {{"gemm:64,dtype=int8", "--quantize", "per-channel,scale-b=scales.npy"},
       "tcsim run: --quantize: scales.npy: row 0, column 5: nan is not a scale; scales are "
       "positive "
       "numbers from 1.2e-38 to 3.4e38\n"},
      {{"gemm:64", "--quantize", "per-tensor"},
       "tcsim run: --quantize makes INT8 operands; ask for dtype=int8\n"},
      {{"gemm:64,dtype=int8,out=int8", "--quantize", "per-tensor"},
       "tcsim run: --quantize converts INT32 sums to reals; ask for out=int32\n"},
      {{"gemm:64,dtype=int8,out=fp16", "--quantize", "requantize"},
       "tcsim run: --quantize converts INT32 sums to reals; ask for out=int32\n"},
  };
  for (const auto& [words, message] : mistakes) {
    Words command{"run", "-m", "lab-tiny", "--values", "-o", "out"};
    command.insert(command.end(), words.begin(), words.end());
    const ChildResult result = tcsim(command);
    EXPECT_EQ(result.status, 2) << result.errors;
    EXPECT_EQ(result.errors, message);
    EXPECT_FALSE(fs::exists("out"));
  }
}

TEST_F(Values, QuantisationOfASparseProductIsSymmetric) {
  const std::string product = "gemm:64,dtype=int8,sparse=1";
  const Json symmetric = run_json({product, "-m", "lab-tiny", "--quantize", "symmetric"});
  EXPECT_LT(symmetric["quantization"]["error"]["norm_relative"].get<double>(), 0.01);
  const ChildResult asymmetric = tcsim(
      {"run", product, "-m", "lab-tiny", "--values", "--quantize", "asymmetric", "--no-files"});
  EXPECT_EQ(asymmetric.status, 3);
  EXPECT_THAT(asymmetric.errors, HasSubstr("--quantize: asymmetric needs a dense A"));
}

struct ValuesMistake {
  Words words;
  int status;
  const char* message;
};

TEST_F(Values, MistakesAreNamedAndLeaveNothingBehind) {
  write_array("small.npy", StoredType::kFp32, {8, 16}, std::vector<std::uint64_t>(128));
  std::ofstream("text.npy") << "no array";
  const std::vector<ValuesMistake> mistakes = {
      {{"--inputs", "zeros"}, 2, "tcsim run: --inputs: has no effect without --values\n"},
      {{"--a", "small.npy"}, 2, "tcsim run: --a: has no effect without --values\n"},
      {{"--values", "--inputs", "gauss"},
       2,
       "tcsim run: --inputs: 'gauss' is not one of uniform, normal, integers, zeros, wide\n"},
      {{"--values", "--seed", "-3"},
       2,
       "tcsim run: --seed: '-3' is not a whole number from 0 to 18446744073709551615\n"},
      {{"--values", "--seed", "18446744073709551616"},
       2,
       "tcsim run: --seed: '18446744073709551616' is not a whole number from 0 to "
       "18446744073709551615\n"},
      {{"--values", "--a", "small.npy", "--b", "small.npy", "--seed", "1"},
       2,
       "tcsim run: --inputs and --seed have no effect with both --a and --b\n"},
      {{"--values", "--a", "small.npy"},
       2,
       "small.npy: the array is 8 x 16; the workload needs m x k = 64 x 64\n"},
      {{"--values", "--a", "text.npy"}, 2, "text.npy: "},
      {{"--values", "--a", "none.npy"}, 5, "none.npy: "},
  };
  for (const ValuesMistake& mistake : mistakes) {
    Words words{"run", "gemm:64", "-m", "lab-tiny", "-o", "out"};
    words.insert(words.end(), mistake.words.begin(), mistake.words.end());
    const ChildResult result = tcsim(words);
    EXPECT_EQ(result.status, mistake.status) << result.errors;
    EXPECT_THAT(result.errors, ::testing::StartsWith(mistake.message));
    EXPECT_EQ(result.output, "");
    EXPECT_FALSE(fs::exists("out"));
  }
}

}  // namespace
}  // namespace tcsim::cli
