#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "sim/errors/errors.hpp"
#include "tests/cli/tcsim_process.hpp"

namespace tcsim::cli {
namespace {

constexpr std::int64_t kMebibyte = 1 << 20;

/// Runs `words` with `-f json`, without constant caches and translation, of whose use the form
/// carries nothing; its one object.
nlohmann::json run(std::vector<std::string> words) {
  words.insert(words.end(), {"-m", "a100", "--no-files", "-f", "json", "--set",
                             "sm.constant_cache.l0_bytes=0", "--set", "tlb.tpc_entries=0"});
  const ChildResult result = tcsim(words);
  EXPECT_EQ(result.status, kDone) << result.errors;
  return nlohmann::json::parse(result.output);
}

TEST(LongTrace, AGigabyteRunsWithinHalfOfItInMemoryAndTakesTheCyclesOfTheProduct) {
  const TemporaryHome home;
  const std::string gemm = "gemm:m=2048,n=2560,k=2560";
  ASSERT_EQ(
      tcsim({"trace", "emit", gemm, "-m", "a100", "--form", "traceg", "-o", "k.traceg"}).status,
      kDone);
  ASSERT_GT(std::filesystem::file_size("k.traceg"), std::uintmax_t{1'000'000'000});
  const auto recorded = run({"run", "trace:k.traceg"});
  EXPECT_EQ(recorded["cycles"], run({"run", gemm})["cycles"]);
  EXPECT_LT(recorded["simulation"]["peak_rss_bytes"], 500 * kMebibyte);
}

}  // namespace
}  // namespace tcsim::cli
