#include "sim/files/nearest.hpp"

#include <gtest/gtest.h>

namespace tcsim::files {
namespace {

TEST(EditDistance, CountsInsertionsDeletionsAndReplacements) {
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("latency", "latencyy"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(EditDistance, CountsASwapOnceAndNoCase) {
  EXPECT_EQ(edit_distance("wram", "warm"), 1);
  EXPECT_EQ(edit_distance("FP16", "fp16"), 0);
  EXPECT_EQ(edit_distance("HMAM", "hmma"), 1);
}

TEST(Nearest, FindsTheWordThatWasMeant) {
  EXPECT_EQ(nearest("issue_intervall", {"issue_policy", "issue_interval"}), "issue_interval");
  EXPECT_EQ(did_you_mean("v10", {"t4", "v100"}), "; did you mean \"v100\"?");
}

TEST(Nearest, IsEmptyForAWordLikeNoOther) {
  EXPECT_EQ(nearest("wings", {"banks", "sub_cores"}), "");
  EXPECT_EQ(nearest("x", {"y", "ab"}), "");
  EXPECT_EQ(did_you_mean("wings", {"sub_cores"}), "");
}

}  // namespace
}  // namespace tcsim::files
