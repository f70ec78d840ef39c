// stats.json is the same byte for byte however many threads of the host share a run, and however
// its time is cut: forty runs of one launch.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

using Json = nlohmann::ordered_json;

/// Eight SMs a thread are the fewest, so that 132 of them have work for sixteen.
constexpr const char* kMachine = "h100";
const std::vector<std::string> equal_threads{"1", "2", "3", "8", "16"};
const std::vector<std::string> equal_quanta{"", "5", "16", "33", "64", "100", "151", "238"};

/// stats.json without its block `simulation`, which tells of the host.
Json stats_of(std::vector<std::string> words) {
  for (const char* word : {"-m", kMachine, "-o", "out", "--force", "-q"}) words.emplace_back(word);
  const ChildResult result = tcsim(words);
  EXPECT_EQ(result.status, 0) << result.errors;
  Json stats = Json::parse(text_of("out/stats.json"), nullptr, /*allow_exceptions=*/false);
  EXPECT_EQ(stats.erase("simulation"), 1U);
  return stats;
}

/// Returns the first.
Json expect_equal_bytes(const std::vector<std::string>& run) {
  const Json first = stats_of(run);
  const std::string bytes = first.dump();
  for (const std::string& threads : equal_threads) {
    for (const std::string& quantum : equal_quanta) {
      std::vector<std::string> words = run;
      words.insert(words.end(), {"-j", threads});
      if (!quantum.empty()) words.insert(words.end(), {"--quantum", quantum});
      EXPECT_TRUE(stats_of(words).dump() == bytes) << threads << " threads, quantum " << quantum;
    }
  }
  return first;
}

TEST(EqualBytes, OfFortyExactRuns) {
  const TemporaryHome home;
  const Json stats = expect_equal_bytes({"run", "gemm:m=512,n=1000,k=256"});
  EXPECT_EQ(stats["fidelity"], "cycle");
}

TEST(EqualBytes, OfFortySampledRuns) {
  const TemporaryHome home;
  std::ofstream("loop.tct") << "tct 1\nkernel loop\ngrid 132 1 1\nwarps 4\nregisters 64\nshared 0\n"
                               "buffer A input base=0x10000 bytes=67108864\n\n"
                               "program main warps 0-3\n  loop i0 < 600\n"
                               "    LDG.E.128 R8, [R4: A + 16*lane + 512*warp + 2048*(i0%512)]\n"
                               "    HMMA.16816.F32 R16, R8, R12, R16\n  end\n  EXIT\n";
  const Json stats = expect_equal_bytes({"run", "trace:loop.tct", "--fidelity", "sampled"});
  EXPECT_EQ(stats["sampling"]["requested_error"], 0.02);
  EXPECT_GT(stats["sampling"]["gaps"], 0);
  EXPECT_EQ(stats["sampling"]["left_out"].size(), stats["sampling"]["gaps"]);
}

}  // namespace
}  // namespace tcsim::cli
