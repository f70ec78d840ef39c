// What does not fit into the memory of the board, or of the model, is refused with its sum.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

using Json = nlohmann::ordered_json;
using ::testing::HasSubstr;

/// `run words...` for a few cycles, without files.
ChildResult short_run(std::vector<std::string> words) {
  words.insert(words.begin(), "run");
  for (const char* word : {"--max-cycles", "1000", "--no-files", "-q", "-f", "json"})
    words.emplace_back(word);
  return tcsim(words);
}

void expect_refused(const std::vector<std::string>& words, const std::string& reason) {
  const ChildResult result = short_run(words);
  EXPECT_EQ(result.status, 3) << words.front() << ": " << result.errors;
  EXPECT_THAT(result.errors, HasSubstr(reason));
}

TEST(Capacity, OperandsBeyondTheBoardAreRefusedWithTheSum) {
  expect_refused({"gemm:m=16384,n=16384,k=16384", "-m", "lab-tiny"},
                 "needs 1.5 GiB (A 512 MiB + B 512 MiB + D 512 MiB) of memory, the board of "
                 "lab-tiny has 512 MiB (descriptive.memory_gb). Use a board with more, or "
                 "--ignore-capacity.");
}

TEST(Capacity, NamesMoreGpusWhereTheyCanShareANetwork) {
  expect_refused({"net:llama2_70b", "-m", "a100"},
                 "Use a board with more, more GPUs (--gpus), or --ignore-capacity.");
  expect_refused({"net:llama2_70b", "-m", "t4"}, "Use a board with more, or --ignore-capacity.");
}

TEST(Capacity, WorkspacesCount) {
  expect_refused({"gemm:m=8192,n=8192,k=8192", "-m", "lab-tiny", "--tile", "128x128_splitk4"},
                 "workspace 1 GiB");
  expect_refused({"attn:b=1,heads=64,n=2048,d=64,algo=unfused", "-m", "lab-tiny"}, "S 512 MiB");
}

TEST(Capacity, CopiesOfTheWeightsCount) {
  EXPECT_EQ(short_run({"gemm:m=16,n=8192,k=8192", "-m", "lab-tiny"}).status, 4);
  expect_refused({"gemm:m=16,n=8192,k=8192", "-m", "lab-tiny", "--rotate-weights"},
                 "5 copies of B and the result 641 MiB");
}

TEST(Capacity, EveryOperatorIsChecked) {
  for (const char* words : {"conv:n=256,hw=128,c=64,k=64,rs=1", "softmax:rows=262144,cols=1024",
                            "add:rows=262144,cols=1024", "max_pool:n=1024,hw=128,c=32,rs=2"})
    expect_refused({words, "-m", "lab-tiny"}, "of memory, the board of lab-tiny has 512 MiB");
}

TEST(Capacity, IsWhatTheMachineSays) {
  EXPECT_EQ(short_run({"gemm:m=16384,n=16384,k=16384", "-m", "lab-tiny", "--set",
                       "descriptive.memory_gb=2"})
                .status,
            4);
}

TEST(Capacity, CanBeIgnored) {
  EXPECT_EQ(
      short_run({"gemm:m=16384,n=16384,k=16384", "-m", "lab-tiny", "--ignore-capacity"}).status, 4);
}

TEST(Capacity, OfAListTheRowAloneIsRefused) {
  const TemporaryHome home;
  std::ofstream("list.csv") << "op,dtype_in,dtype_acc,params\n"
                               "gemm,fp16,fp32,m=16384;n=16384;k=16384\n"
                               "gemm,fp16,fp32,m=32;n=32;k=32\n";
  const ChildResult result =
      tcsim({"run", "csv:list.csv", "-m", "lab-tiny", "--no-files", "-q", "-f", "json"});
  EXPECT_EQ(result.status, 3);
  const Json rows = Json::parse(result.output);
  EXPECT_EQ(rows[0]["status"], "failed");
  EXPECT_THAT(rows[0]["reason"].get<std::string>(), HasSubstr("needs 1.5 GiB"));
  EXPECT_EQ(rows[1]["status"], "done");
  const ChildResult ignored = tcsim({"run", "csv:list.csv", "-m", "lab-tiny", "--no-files", "-q",
                                     "-f", "json", "--ignore-capacity", "--max-cycles", "9000"});
  EXPECT_EQ(Json::parse(ignored.output)[0]["reason"], "cycle limit");
}

TEST(Capacity, OfALanguageModelKeysAndValuesCount) {
  const auto told = [](std::vector<std::string> more) {
    std::vector<std::string> words{"run", "net:llama2_13b", "-m", "a100", "--dry-run"};
    words.insert(words.end(), more.begin(), more.end());
    return tcsim(words);
  };
  EXPECT_EQ(told({"--tokens", "512"}).status, 0);
  EXPECT_EQ(told({"--pass", "decode", "--tokens", "4096"}).status, 0);
  // 2 x 40 layers x 5120 columns x 2 bytes a token: 50 GiB for 16 samples of 4096.
  for (const char* pass : {"forward", "decode"}) {
    const ChildResult result = told({"--pass", pass, "--tokens", "4096", "--batch", "16"});
    EXPECT_EQ(result.status, 3);
    EXPECT_THAT(result.errors, HasSubstr("weights 24.2 GiB + activations "));
    EXPECT_THAT(result.errors, HasSubstr(" + keys and values 50 GiB) of memory"));
  }
}

TEST(Capacity, OfPackedWeightsIntegersAndScalesCount) {
  const auto told = [](std::vector<std::string> more) {
    std::vector<std::string> words{"run",    "net:llama2_7b", "-m",       "rtx3070",
                                   "--pass", "decode",        "--dry-run"};
    words.insert(words.end(), more.begin(), more.end());
    return tcsim(words);
  };
  EXPECT_THAT(told({}).errors, HasSubstr("weights 12.6 GiB + activations "));
  EXPECT_EQ(told({"--weights", "int4", "--group", "128"}).status, 0);
  // 6.476 G weights of 4 + 16 / 128 bits; embedding and head of 131 M each in FP16.
  const ChildResult result =
      told({"--weights", "int4", "--group", "128", "--tokens", "4096", "--batch", "16"});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.errors, HasSubstr("weights 3.6 GiB + activations "));
}

TEST(Capacity, OfANetworkWeightsAndLiveActivationsAreCounted) {
  const ChildResult result =
      tcsim({"run", "net:resnet50", "-m", "lab-tiny", "--batch", "1024", "--no-files", "-q"});
  EXPECT_EQ(result.status, 3);
  EXPECT_THAT(result.errors, HasSubstr("net:resnet50: needs "));
  EXPECT_THAT(result.errors, HasSubstr("(weights 48.6 MiB + activations "));
}

// Products of sizes that fit no whole number, and addresses beyond those of the model.
TEST(Addresses, SizesBeyondTheModelAreRefusedWithTheirSum) {
  const std::string beyond = "; the model addresses 508 GiB";
  expect_refused({"gemm:1048576", "-m", "lab-tiny"},
                 "operands and results take 6 TiB (A 2 TiB + B 2 TiB + D 2 TiB)" + beyond);
  expect_refused({"gemm:1048576", "-m", "lab-tiny", "--ignore-capacity"}, beyond);
  expect_refused({"gemm:m=16777216,n=16777216,k=16777216,batch=65535", "-m", "a100"}, beyond);
  for (const char* form : {"", ",pass=bwd", ",algo=unfused", ",algo=paged"})
    expect_refused({"attn:heads=65535,n=16777216,d=64,b=65535" + std::string(form), "-m", "a100"},
                   beyond);
  expect_refused(
      {"net:resnet50", "-m", "a100", "--batch", "65535", "--ignore-capacity", "--streams", "8"},
      beyond);
}

TEST(Addresses, PatchesThatNoMemoryHoldsAreRefused) {
  expect_refused({"conv:n=1,hw=46340,c=1,k=1,rs=46339,pad=23169,algo=im2col_gemm", "-m", "a100"},
                 "im2col_gemm: the patches have more than 2^40 elements");
}

TEST(Addresses, StreamKOfMoreTilesThanCanBeCheckedIsRefused) {
  const ChildResult result =
      short_run({"gemm:m=65536,n=65536,k=64", "-m", "h200", "--tile", "128x128x32_streamk"});
  EXPECT_EQ(result.status, 2);
  EXPECT_THAT(result.errors, HasSubstr("stream-K deals at most 98304 tiles"));
}

TEST(Addresses, OfBuffersThatAreOnePhysicalAddressAreRefused) {
  const TemporaryHome home;
  const std::string emitted =
      tcsim({"trace", "emit", "copy:rows=64,cols=64", "-m", "lab-tiny"}).output;
  const auto refused = [&](const std::string& base, const std::string& reason) {
    std::string text = emitted;
    const std::string placed = "base=0x7f0000002000";
    ASSERT_NE(text.find(placed), std::string::npos);
    text.replace(text.find(placed), placed.size(), "base=" + base);
    std::ofstream("copy.tct") << text;
    expect_refused({"trace:copy.tct", "-m", "lab-tiny"}, reason);
  };
  refused("0x7e8000001000", "buffer X reaches into buffer D: physical addresses have 39 bits");
  refused("0x7f7effffff00", "buffer D reaches into the addresses of code");
}

}  // namespace
}  // namespace tcsim::cli
