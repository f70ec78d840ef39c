// `tcsim run` of products whose tiles several CTAs compute: serial split-K and stream-K.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

using Json = nlohmann::ordered_json;

class CutProductRun : public ::testing::Test {
 protected:
  TemporaryHome home_;
};

TEST_F(CutProductRun, SlicesThatTakeTurnsEndAfterEachOther) {
  const auto run = [](std::vector<std::string> more) {
    std::vector<std::string> words{"run",       "gemm:m=64,n=64,k=2048", "-m", "a100", "-f", "json",
                                   "--no-files"};
    words.insert(words.end(), more.begin(), more.end());
    const ChildResult result = tcsim(words);
    EXPECT_EQ(result.status, 0) << result.errors;
    Json json = Json::parse(result.output);
    json.erase("simulation");
    return json;
  };
  const std::string tile = "64x64x64_s5_w2x2_splitk8";
  const Json serial = run({"--tile", tile + "_serial"});
  EXPECT_EQ(serial["kernels"].size(), 1);
  EXPECT_EQ(run({"--tile", tile})["kernels"].size(), 2);
  EXPECT_EQ(Json::diff(serial, run({"--tile", tile + "_serial", "--quantum", "1"})), Json::array());
  // The text form keeps flags and waits.
  ASSERT_EQ(tcsim({"trace", "emit", "gemm:m=64,n=64,k=2048", "-m", "a100", "--tile",
                   tile + "_serial", "-o", "k.tct"})
                .status,
            0);
  const ChildResult again = tcsim({"run", "trace:k.tct", "-m", "a100", "-f", "json", "--no-files"});
  EXPECT_EQ(Json::parse(again.output)["cycles"], serial["cycles"]) << again.errors;
}

TEST_F(CutProductRun, StreamKKeepsMoreSmsBusyThanWholeTiles) {
  // Forty-nine tiles leave more than half of the SMs idle.
  const std::string words = "gemm:m=448,n=448,k=2048";
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"run", words, "-m", "a100", "-f", "json", "--no-files"};
    all.insert(all.end(), more.begin(), more.end());
    const ChildResult result = tcsim(all);
    EXPECT_EQ(result.status, 0) << result.errors;
    Json json = Json::parse(result.output);
    json.erase("simulation");
    return json;
  };
  const std::string tile = "64x64x32_s4_w2x2";
  const Json stream_k = run({"--tile", tile + "_streamk"});
  const Json whole_tiles = run({"--tile", tile});
  EXPECT_EQ(stream_k["kernels"].size(), 1);
  EXPECT_LT(stream_k["cycles"], whole_tiles["cycles"]);
  EXPECT_EQ(Json::diff(stream_k, run({"--tile", tile + "_streamk", "--quantum", "8"})),
            Json::array());
  ASSERT_EQ(
      tcsim({"trace", "emit", words, "-m", "a100", "--tile", tile + "_streamk", "-o", "k.tct"})
          .status,
      0);
  const ChildResult again = tcsim({"run", "trace:k.tct", "-m", "a100", "-f", "json", "--no-files"});
  EXPECT_EQ(Json::parse(again.output)["cycles"], stream_k["cycles"]) << again.errors;
}

TEST_F(CutProductRun, StreamKOfWarpgroupsKeepsMoreSmsBusyThanWholeTiles) {
  // Forty-two tiles on 36 SMs, of one CTA each.
  const std::string words = "gemm:m=896,n=192,k=2048";
  const std::vector<std::string> machine{"-m",         "h100",  "--set",
                                         "gpu.sms=36", "--set", "gpu.sms_per_gpc=[18, 18]"};
  const auto run = [&](const std::string& workload, std::vector<std::string> more) {
    std::vector<std::string> all{"run", workload, "-f", "json", "--no-files"};
    all.insert(all.end(), more.begin(), more.end());
    const ChildResult result = tcsim(all);
    EXPECT_EQ(result.status, 0) << result.errors;
    Json json = Json::parse(result.output);
    json.erase("simulation");
    return json;
  };
  const auto on_machine = [&](const std::string& tile, std::vector<std::string> more = {}) {
    more.insert(more.end(), machine.begin(), machine.end());
    more.insert(more.end(), {"--tile", tile});
    return run(words, more);
  };
  const std::string tile = "64x64x64_s4_w4x1_streamk_coop";
  const Json stream_k = on_machine(tile);
  EXPECT_EQ(stream_k["kernels"].size(), 1);
  EXPECT_LT(stream_k["cycles"], on_machine("64x64x64_s4_w4x1_coop")["cycles"]);
  EXPECT_LT(on_machine(tile + "_c2x1")["cycles"],
            on_machine("64x64x64_s4_w4x1_coop_c2x1")["cycles"]);
  EXPECT_EQ(Json::diff(stream_k, on_machine(tile, {"--quantum", "8", "-j", "2"})), Json::array());
  EXPECT_EQ(on_machine(tile, {"--fidelity", "sampled"})["cycles"], stream_k["cycles"]);
  // The text form keeps flags and waits; CTAs that do not all fit at once wait for earlier ones
  // alone.
  std::vector<std::string> emit{"trace", "emit", words, "--tile", tile, "-o", "k.tct"};
  emit.insert(emit.end(), machine.begin(), machine.end());
  const ChildResult emitted = tcsim(emit);
  ASSERT_EQ(emitted.status, 0) << emitted.errors;
  EXPECT_EQ(run("trace:k.tct", machine)["cycles"], stream_k["cycles"]);
  EXPECT_GT(run("trace:k.tct",
                {"-m", "h100", "--set", "gpu.sms=8", "--set", "gpu.sms_per_gpc=[8]"})["cycles"],
            stream_k["cycles"]);
}

}  // namespace
}  // namespace tcsim::cli
