#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/api/tcsim.hpp"

namespace tcsim {
namespace {

using testing::ElementsAre;

using Parts = std::tuple<std::string, std::int64_t, std::int64_t, std::string, std::string>;

std::vector<Parts> parts_of(const std::string& text) {
  std::vector<Parts> parts;
  for (const Mistake& one : mistakes_of(UsageError(text)))
    parts.emplace_back(one.place, one.line, one.column, one.key, one.reason);
  return parts;
}

TEST(Mistakes, HaveThePlaceAndTheKeyOfEachLine) {
  EXPECT_THAT(parts_of("my.yaml:14:5: sm.max_warps: unknown key\nmy.yaml: l2: missing; see: a100"),
              ElementsAre(Parts("my.yaml", 14, 5, "sm.max_warps", "unknown key"),
                          Parts("my.yaml", 0, 0, "l2", "missing; see: a100")));
}

TEST(Mistakes, CountTheColumnsOfAWorkload) {
  EXPECT_THAT(parts_of("gemm:25x: column 6: gemm: expected KEY=VALUE"),
              ElementsAre(Parts("gemm:25x", 0, 6, "gemm", "expected KEY=VALUE")));
  EXPECT_THAT(parts_of("gem:1024: column 1: workload: unknown kind 'gem'"),
              ElementsAre(Parts("gem:1024", 0, 1, "workload", "unknown kind 'gem'")));
  EXPECT_THAT(parts_of("gemm: column x: no"), ElementsAre(Parts("gemm", 0, 0, "", "column x: no")));
}

TEST(Mistakes, WithoutAPlaceAreAReason) {
  EXPECT_THAT(parts_of("nothing fits"), ElementsAre(Parts("", 0, 0, "", "nothing fits")));
  EXPECT_THAT(parts_of("v10: no such machine"),
              ElementsAre(Parts("v10", 0, 0, "", "no such machine")));
}

TEST(Mistakes, TakeALineWithoutAColumn) {
  EXPECT_THAT(parts_of("list.csv:7: reason"), ElementsAre(Parts("list.csv", 7, 0, "", "reason")));
}

}  // namespace
}  // namespace tcsim
