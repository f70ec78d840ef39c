#include "sim/cli/library_command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "sim/config/error.hpp"
#include "sim/errors/errors.hpp"
#include "sim/library/load.hpp"
#include "sim/run/prepare/prepare.hpp"
#include "tests/cli/command_output.hpp"
#include "tests/cli/tcsim_process.hpp"
#include "tests/library/small_library.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/temporary_directory.hpp"
#include "workloads/import/workload.hpp"

namespace tcsim::cli {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// Standard output of `tcsim library` with `words`.
std::string library_output(std::vector<std::string> words) {
  words.insert(words.begin(), "library");
  return output_of(std::move(words), add_library_command);
}

/// The small library as a file.
class LibraryCommand : public ::testing::Test {
 protected:
  void SetUp() override { std::ofstream(file_) << library::testing::small_library(); }

  const test::TemporaryDirectory folder_;
  const std::string file_ = (folder_.path() / "small_library.yaml").string();
};

TEST_F(LibraryCommand, ListsEveryShippedLibrary) {
  const Json list = Json::parse(library_output({"list", "-f", "json"}));
  EXPECT_GE(list.size(), 10u);
  EXPECT_EQ(list[0]["library"], "cublas-ampere");
  EXPECT_EQ(list[0]["kernels"], 6);
  EXPECT_TRUE(list[0]["tiles"].is_number());
}

TEST_F(LibraryCommand, ExplainsOnTheUnitThatARunTakes) {
  const std::vector<std::string> words{
      "explain", "gemm:m=256,n=256,k=256,dtype=fp32", "-m", "v100", "-f", "json"};
  EXPECT_EQ(Json::parse(library_output(words))["kernels"], "single");
  std::vector<std::string> on_tensor_cores = words;
  on_tensor_cores.insert(on_tensor_cores.end(), {"--unit", "tensor"});
  EXPECT_THROW(library_output(on_tensor_cores), NotCovered);
}

TEST_F(LibraryCommand, ShowsTilesAndWhatAMachineCannotBuild) {
  EXPECT_THAT(library_output({"show", file_}), HasSubstr("128x128x32_s3-4_w2x2"));
  const Json rows =
      Json::parse(library_output({"show", "cublas-turing", "-m", "t4", "-f", "json"}));
  EXPECT_EQ(rows[0]["tile"], "256x128x32_s2_w4x2");
  EXPECT_TRUE(rows[0].contains("on t4"));
  EXPECT_EQ(rows[0]["on t4"], "");
}

TEST_F(LibraryCommand, ShowsWhichKernelsAMachineLacks) {
  const auto judged = [](const std::string& library, const std::string& machine) {
    std::map<std::string, std::set<std::string>> reasons;
    for (const Json& row :
         Json::parse(library_output({"show", library, "-m", machine, "-f", "json"})))
      reasons[row["kernels"]].insert(row["on " + machine].get<std::string>());
    return reasons;
  };
  const std::set<std::string> builds{""};
  const std::set<std::string> lacks{"lacks the instructions"};
  EXPECT_EQ(judged("cublas-nvjet", "v100").at("nvjet"), lacks);
  EXPECT_EQ(judged("flash-attention-2", "v100").at("forward"), lacks);
  EXPECT_EQ(judged("cuda-cores", "p100").at("products_copying"), lacks);
  EXPECT_EQ(judged("cuda-cores", "p100").at("products_staged"), builds);
  for (const auto& [kernels, reasons] : judged("cublas-ampere", "a100"))
    EXPECT_EQ(reasons, builds) << kernels;
}

TEST_F(LibraryCommand, ShowsWhichKernelsAreForLargerMachines) {
  const Json rows =
      Json::parse(library_output({"show", "tensorrt", "-m", "rtx3090", "-f", "json"}));
  EXPECT_THAT(rows.dump(), HasSubstr("is for SMs with 167936 bytes of shared memory and more"));
}

TEST_F(LibraryCommand, ExplainsWhatIsPickedAndWhy) {
  const std::string text = library_output({"explain", "gemm:m=4096,n=256,k=2560", "-m", "a100"});
  EXPECT_THAT(text, HasSubstr("libraries in the order asked: trtllm-int8, cublas-ampere"));
  EXPECT_THAT(text, HasSubstr("of cublas-ampere.products: the lowest rating of"));
  const Json choice = Json::parse(
      library_output({"explain", "gemm:m=4096,n=256,k=2560", "-m", "a100", "-f", "json"}));
  EXPECT_EQ(choice["candidates"][0]["tile"], choice["pick"]);
  EXPECT_EQ(choice["candidates"][0]["picked"], true);
  EXPECT_EQ(choice["candidates"][1]["picked"], false);
  double rating = 0;
  for (const Json& one : choice["candidates"]) {
    if (one["has_deeper_twin"] == true) continue;
    EXPECT_GE(one["rating"].get<double>(), rating);
    rating = one["rating"].get<double>();
  }
}

TEST_F(LibraryCommand, AsksALibraryGivenByFileFirst) {
  const Json choice = Json::parse(
      library_output({"explain", "gemm:4096", "-m", "a100", "--library", file_, "-f", "json"}));
  EXPECT_EQ(choice["library"], "small");
  EXPECT_EQ(choice["libraries"][0], "small");
  EXPECT_EQ(choice["pick"], "128x128x32_s4_w2x2");
}

TEST_F(LibraryCommand, ExplainsTheAlgorithmThatAConvolutionAsksFor) {
  const Json choice = Json::parse(
      library_output({"explain", "conv:n=32,hw=56,c=64,k=64,rs=3,stride=1,pad=1,algo=im2col_gemm",
                      "-m", "v100", "-f", "json"}));
  EXPECT_THAT(choice["pick"].get<std::string>(), StartsWith("im2col_gemm "));
  EXPECT_EQ(choice["why"], "requested, with its preferred tile");
}

TEST_F(LibraryCommand, ExplainsTheAlgorithmOfAConvolution) {
  const Json choice = Json::parse(library_output(
      {"explain", "conv:n=32,hw=56,c=64,k=64,rs=3,stride=1,pad=1", "-m", "v100", "-f", "json"}));
  EXPECT_THAT(choice["pick"].get<std::string>(), StartsWith("implicit_gemm "));
  EXPECT_EQ(choice["candidates"][0]["picked"], true);
  EXPECT_GT(choice["candidates"].size(), 5u);
}

/// The names of what `object` has.
std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST_F(LibraryCommand, ExplainsTheTilesOfAConvolutionAsThoseOfAProduct) {
  const Json product =
      Json::parse(library_output({"explain", "gemm:256", "-m", "a100", "-f", "json"}));
  struct Case {
    const char* algorithm;
    const char* machine;
    const char* library;
  };
  for (const auto& [algorithm, machine, library] :
       {Case{"implicit_gemm", "a100", "cudnn-ampere"}, Case{"im2col_gemm", "a100", "cublas-ampere"},
        Case{"winograd_2x2", "a100", "cublas-ampere"},
        Case{"implicit_gemm_tma", "h100", "cutlass-3"}}) {
    const std::string words = std::string("conv:n=2,hw=28,c=64,k=64,rs=3,pad=1,algo=") + algorithm;
    const Json choice =
        Json::parse(library_output({"explain", words, "-m", machine, "-f", "json"}));
    EXPECT_EQ(choice["library"], library) << words;
    const Json& tiles = choice["tiles"];
    ASSERT_GT(tiles.size(), 1u) << words;
    EXPECT_EQ(choice["pick"], algorithm + (" " + tiles[0]["tile"].get<std::string>()));
    double rating = 0;
    for (const Json& one : tiles) {
      EXPECT_EQ(keys_of(one), keys_of(product["candidates"][0]));
      EXPECT_EQ(one["picked"] == true, &one == &tiles[0]);
      if (one["has_deeper_twin"] == true) continue;
      EXPECT_GE(one["rating"].get<double>(), rating) << words;
      rating = one["rating"].get<double>();
    }
    const std::string text = library_output({"explain", words, "-m", machine});
    EXPECT_THAT(text, HasSubstr(std::string("tiles of the product of ") + algorithm + ": "));
    EXPECT_THAT(text, HasSubstr("turn-round"));
  }
  const Json direct = Json::parse(library_output(
      {"explain", "conv:n=2,hw=28,c=64,k=64,rs=3,pad=1,algo=direct", "-m", "a100", "-f", "json"}));
  EXPECT_FALSE(direct.contains("tiles"));
  EXPECT_FALSE(direct.contains("library"));
}

TEST_F(LibraryCommand, SaysOnceThatEstimatesLeaveOutTheFirstLaunch) {
  const std::string sentence = "\nestimates leave out the first launch of a run, 2250 cycles\n";
  for (const char* words : {"gemm:256", "conv:n=2,hw=28,c=64,k=64,rs=3,pad=1"}) {
    const std::string text = library_output({"explain", words, "-m", "a100"});
    EXPECT_THAT(text, HasSubstr(sentence));
    EXPECT_EQ(text.find(sentence), text.rfind(sentence));
  }
  EXPECT_THAT(library_output({"explain", "attn:b=1,heads=16,n=64,d=64", "-m", "a100"}),
              Not(HasSubstr("first launch")));
}

TEST_F(LibraryCommand, ExplainsTheTileOfAnAttention) {
  const Json whole = Json::parse(library_output(
      {"explain", "attn:b=16,heads=16,n=1024,d=128,causal=1", "-m", "rtx3090", "-f", "json"}));
  EXPECT_EQ(whole["library"], "flash-attention-2");
  EXPECT_EQ(whole["pick"], "64x64_w4");
  int picked = 0;
  for (const Json& one : whole["candidates"]) picked += one["picked"] == true ? 1 : 0;
  EXPECT_EQ(picked, 1);
  EXPECT_EQ(whole["candidates"][0]["why_not"], "head size above 64");
  const std::string decode =
      library_output({"explain", "attn:b=1,heads=16,n=1,kv=8192,d=64", "-m", "a100"});
  EXPECT_THAT(decode, HasSubstr("of flash-attention-2.forward: 16 tiles and 32 blocks of keys"));
  EXPECT_THAT(decode, HasSubstr("picks 64x256_w4_splitkv11"));
  const Json hopper = Json::parse(library_output(
      {"explain", "attn:b=4,heads=16,n=8192,d=128,causal=1", "-m", "h100", "-f", "json"}));
  EXPECT_EQ(hopper["library"], "flash-attention-3");
  EXPECT_EQ(hopper["pick"], "128x128_w8");
  EXPECT_THROW(
      library_output({"explain", "attn:b=1,heads=16,n=64,d=64,algo=unfused", "-m", "a100"}),
      NotCovered);
}

/// A run of `words` on `machine` on the unit that it takes, ready to be simulated.
run::PreparedRun prepared(const std::string& words, const std::string& machine,
                          const std::string& unit = "") {
  return run::prepare_run(workload::parse_workload(words).front(), {machine, unit, /*tile=*/""},
                          library::read_machine(machine, {}));
}

/// What `act` refuses with.
template <typename Act>
std::string refusal_of(Act act) {
  return test::refusal<NotCovered>(act);
}

TEST_F(LibraryCommand, TellsThePickThatARunTakes) {
  for (const char* words : {"gemm:m=512,n=256,k=512,weights=int4,group=128", "gemm:256,dtype=fp32",
                            "conv:n=2,hw=28,c=64,k=64,rs=3,stride=1,pad=1",
                            "attn:b=1,heads=2,n=256,d=64", "attn:b=1,heads=2,n=1,kv=4096,d=64"}) {
    const Json choice = Json::parse(library_output({"explain", words, "-m", "a100", "-f", "json"}));
    EXPECT_THAT(prepared(words, "a100").inputs.kernel_tiles,
                Contains(choice["pick"].get<std::string>()))
        << words;
  }
}

TEST_F(LibraryCommand, PicksNothingForAnAttentionThatRunsUnfused) {
  const std::string words = "attn:b=1,heads=2,n=64,d=64";
  const std::string on_cuda_cores = refusal_of([&] {
    library_output({"explain", words, "-m", "a100", "--unit", "cuda-core"});
  });
  EXPECT_THAT(on_cuda_cores, HasSubstr("nothing is picked"));
  EXPECT_THAT(on_cuda_cores, StartsWith(prepared(words, "a100", "cuda-core").inputs.title));
  EXPECT_THAT(refusal_of([&] {
                library_output({"explain", words, "-m", "p100"});
              }),
              HasSubstr("nothing is picked"));
}

TEST_F(LibraryCommand, RefusesPackedWeightsAsARunDoes) {
  const std::string words = "gemm:m=64,n=64,k=64,weights=int4,dtype=bf16";
  EXPECT_EQ(refusal_of([&] {
              library_output({"explain", words, "-m", "v100"});
            }),
            refusal_of([&] { prepared(words, "v100"); }));
}

TEST_F(LibraryCommand, KnowsTheUnits) {
  EXPECT_EQ(test::refusal<UsageError>([&] {
              library_output({"explain", "gemm:256", "-m", "a100", "--unit", "tensors"});
            }),
            "tcsim library explain: --unit: 'tensors' is not one of tensor, cuda-core; did you "
            "mean \"tensor\"?");
}

TEST_F(LibraryCommand, SaysWhyNoKernelIsGeneratedForAProduct) {
  EXPECT_EQ(test::refusal<NotCovered>([&] {
              library_output({"explain", "gemm:256,dtype=int4", "-m", "a100"});
            }),
            "gemm:256,dtype=int4: no kernel is generated for dtype=int4");
}

TEST_F(LibraryCommand, ShowsTilesOfAttentionAndWhatTheyAreFor) {
  const Json rows =
      Json::parse(library_output({"show", "flash-attention-3-ampere", "-m", "a100", "-f", "json"}));
  EXPECT_EQ(rows[0]["computes"], "paged attention");
  EXPECT_EQ(rows[0]["tile"], "128x112_w4 (dim to 64)");
  EXPECT_EQ(rows[2]["tile"], "128x96_w8 (dim to 256)");
  EXPECT_EQ(rows[5]["tile"], "128x112_w8_split (dim to 128)");
  for (const Json& row : rows) EXPECT_EQ(row["on a100"], "");
}

TEST_F(LibraryCommand, ParsesTheNameOfAKernel) {
  const char* const kernel = "volta_fp16_s884gemm_fp16_256x128_ldg8_f2f_tn";
  const Json name = Json::parse(library_output({"parse", kernel, "-f", "json"}));
  EXPECT_EQ(name["tile"], "128x256");
  EXPECT_EQ(name["layout"], "nt");
  EXPECT_EQ(name["stages"], nullptr);
  EXPECT_THAT(library_output({"parse", kernel}), HasSubstr("instruction"));
  const char* const attention = "fmha_cutlassF_f16_aligned_64x64_rf_sm80";
  EXPECT_EQ(Json::parse(library_output({"parse", attention, "-f", "json"}))["tile"], nullptr);
}

TEST_F(LibraryCommand, RefusesWhatIsNoNameOfAKernel) {
  EXPECT_THAT(test::refusal<UsageError>([&] {
                library_output({"parse", "amper_sgemm_128x64_tn"});
              }),
              HasSubstr("did you mean \"ampere\"?"));
  EXPECT_EQ(test::refusal<UsageError>([&] {
              library_output({"parse", "ampere_sgemm_tn"});
            }),
            "tcsim library parse: 'ampere_sgemm_tn' names no CTA tile");
  EXPECT_EQ(test::refusal<UsageError>([&] { library_output({"parse"}); }),
            "tcsim library parse: nothing given; write tcsim library parse NAME");
}

TEST(LibraryScore, TheMedianOfTwoLossesIsTheirMean) {
  const std::string begin = "A100,gemm,fp16,fp32,m=8192;n=8192;k=8192;layout=NT,";
  const std::string one = begin + "ampere_fp16_s16816gemm_fp16_64x64_ldg8_f2f_stages_64x5_tn,X,\n";
  const std::string two = begin + "ampere_fp16_s16816gemm_fp16_128x64_ldg8_f2f_stages_32x6_tn,X,\n";
  const test::TemporaryDirectory folder;
  const std::string file = (folder.path() / "names.csv").string();
  const auto median_loss = [&file](const std::string& rows) {
    std::ofstream(file) << "gpu,op,dtype_in,dtype_acc,params,kernel,source_id,notes\n" << rows;
    const Json result = Json::parse(library_output({"score", file, "-f", "json"}));
    return result["scores"][0]["median_estimated_loss"].get<double>();
  };
  ASSERT_NE(median_loss(one), median_loss(two));
  EXPECT_DOUBLE_EQ(median_loss(one + two), (median_loss(one) + median_loss(two)) / 2);
}

TEST_F(LibraryCommand, KeepsSlicesThatTakeTurnsOutOfLongerStreams) {
  std::string text = library::testing::small_library_with(
      "      operands: [fp16]\n", "      operands: [fp16]\n      sums: serial\n");
  const std::string products = "computes: [product]";
  text.replace(text.find(products), products.size(), "computes: [product, convolution]");
  std::ofstream(file_) << text;
  const TemporaryHome home;
  const auto names = [&](const char* words) {
    const ChildResult result = tcsim({"run", words, "-m", "a100", "--library", file_,
                                      "--max-cycles", "1000", "--no-files", "-f", "json", "-q"});
    EXPECT_EQ(result.status, 4) << words << ": " << result.errors;
    return result.output;
  };
  EXPECT_THAT(names("gemm:m=64,n=64,k=8192"), HasSubstr("_serial"));
  for (const char* words : {"conv:n=1,hw=8,c=1024,k=64,rs=3,pad=1,algo=implicit_gemm",
                            "conv:n=1,hw=8,c=1024,k=64,rs=3,pad=1,algo=im2col_gemm",
                            "attn:heads=1,n=64,kv=8192,d=64,algo=unfused"})
    EXPECT_THAT(names(words), Not(HasSubstr("_serial"))) << words;
}

TEST_F(LibraryCommand, RefusesWhatItCannotExplain) {
  EXPECT_THROW(library_output({"explain", "gemm:4096"}), UsageError);
  EXPECT_THROW(library_output({"explain", "softmax:rows=16,cols=16", "-m", "a100"}), NotCovered);
  EXPECT_THROW(library_output({"explain", "gemm:4096", "-m", "p100", "--unit", "tensor"}),
               NotCovered);
  EXPECT_THROW(library_output({"show", "cublas-amper"}), config::ConfigError);
  EXPECT_THROW(library_output({}), config::ConfigError);
}

}  // namespace
}  // namespace tcsim::cli
