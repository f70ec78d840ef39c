#include "models/sm/load_store/answer_tag.hpp"

#include <gtest/gtest.h>

namespace tcsim::sm::test {
namespace {

void expect_read_back(const AnswerTag& tag, std::uint32_t added = 0) {
  const AnswerTag read = AnswerTag::of(tag.encoded() | added);
  EXPECT_EQ(read.kind, tag.kind);
  EXPECT_EQ(read.number, tag.number);
  EXPECT_EQ(read.bytes, tag.bytes);
  EXPECT_EQ(read.sectors, tag.sectors);
}

TEST(AnswerTag, SaysWhomAnAnswerIsFor) {
  expect_read_back({AnswerKind::kLine, 0, 0, 1});
  expect_read_back({AnswerKind::kLine, (1U << 21) - 1, 0, 255});
  expect_read_back({AnswerKind::kPastCache, (1U << 20) - 1, 512});
  expect_read_back({AnswerKind::kTile, (1U << 20) - 1, 1});
  expect_read_back({AnswerKind::kTile, 0, 128});
  expect_read_back({AnswerKind::kClusterLine, (1U << 20) - 1, 128});
  expect_read_back({AnswerKind::kCode, (1U << 30) - 1});
}

TEST(AnswerTag, SaysSoOfAnswersWithoutData) {
  expect_read_back({AnswerKind::kWrite, 63}, memory::kWriteDone);
  expect_read_back({AnswerKind::kTile, (1U << 21) - 1, 128}, memory::kWriteDone);
}

}  // namespace
}  // namespace tcsim::sm::test
