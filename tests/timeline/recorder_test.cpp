#include <gtest/gtest.h>

#include <algorithm>

#include "tests/timeline/recorded_programs.hpp"

namespace tcsim::timeline::test {
namespace {

std::vector<const InstructionRecord*> with_opcode(const Timeline& timeline, isa::Opcode opcode) {
  std::vector<const InstructionRecord*> found;
  for (const InstructionRecord& record : timeline.records)
    if (record.opcode == opcode) found.push_back(&record);
  return found;
}

TEST(Recorder, ChangesNothing) {
  for (const isa::KernelLaunch& launch :
       {hmma_loop(8, 20), load_multiply_store(), group_products(8, 3, 8)})
    EXPECT_EQ(end_of_run(launch, true), end_of_run(launch, false));
}

TEST(Recorder, AnEightWarpLoopOfHmmaFillsThePipeAtItsIssueInterval) {
  const Timeline timeline = recorded(hmma_loop(8, 20), 100, 164);
  for (int sub_core = 0; sub_core < 4; ++sub_core) {
    Cycle last = -1;
    int issued = 0;
    for (const InstructionRecord* record : with_opcode(timeline, isa::Opcode::kHmma16816F32)) {
      if (record->sub_core != sub_core || record->issue < 100 || record->issue >= 164) continue;
      ++issued;
      if (last >= 0) {
        EXPECT_EQ(record->issue - last, 8);  // 2048 multiply-adds at 256 per cycle
      }
      EXPECT_EQ(record->interval_end - record->issue, 8);
      last = record->issue;
    }
    EXPECT_EQ(issued, 8) << "sub-core " << sub_core;
  }
}

TEST(Recorder, AChainOfHmmasWaitsForEachResult) {
  const Timeline timeline = recorded(dependent_hmmas(20), 0, 1000, 0);
  const auto hmmas = with_opcode(timeline, isa::Opcode::kHmma16816F32);
  ASSERT_EQ(hmmas.size(), 20U);
  for (std::size_t i = 1; i < hmmas.size(); ++i) {
    EXPECT_EQ(hmmas[i]->issue - hmmas[i - 1]->issue, 25);
    EXPECT_EQ(cause_text(hmmas[i]->waits.back()), "HMMA.16816.F32");
  }
}

TEST(Recorder, WaitsFillTheCyclesFromHeadOfTheWarpToIssue) {
  for (const isa::KernelLaunch& launch : {hmma_loop(8, 20), load_multiply_store()}) {
    const Timeline timeline = recorded(launch, 0, 1000);
    ASSERT_FALSE(timeline.records.empty());
    for (const InstructionRecord& record : timeline.records) {
      Cycle at = record.since;
      for (const Wait& wait : record.waits) {
        EXPECT_EQ(wait.from, at) << record.text;
        EXPECT_GT(wait.until, wait.from) << record.text;
        at = wait.until;
      }
      EXPECT_EQ(at, record.issue) << record.text;
    }
  }
}

TEST(Recorder, StagesFollowOneAnotherFromHeadToEnd) {
  for (const isa::KernelLaunch& launch : {load_multiply_store(), group_products(8, 3, 8)}) {
    const Timeline timeline = recorded(launch, 0, 1000);
    for (const InstructionRecord& record : timeline.records) {
      ASSERT_NE(record.end, kNever) << record.text;
      Cycle at = record.since;
      for (const StageSpan& span : stages_of(record)) {
        EXPECT_EQ(span.from, at) << record.text;
        EXPECT_GT(span.until, span.from) << record.text;
        at = span.until;
      }
      EXPECT_EQ(at, std::max(record.end, record.issue + 1)) << record.text;
    }
  }
}

TEST(Recorder, NamesTheLoadThatAnHmmaWaitsFor) {
  const Timeline timeline = recorded(load_multiply_store(), 0, 1000);
  const auto hmmas = with_opcode(timeline, isa::Opcode::kHmma16816F32);
  ASSERT_EQ(hmmas.size(), 2U);
  ASSERT_EQ(hmmas[0]->waits.size(), 1U);
  const Wait& wait = hmmas[0]->waits[0];
  EXPECT_EQ(cause_text(wait), "LDS.128");
  EXPECT_EQ(wait.reason, sm::CycleReason::kDependenceShared);
  EXPECT_EQ(timeline.records[static_cast<std::size_t>(wait.producer)].end, hmmas[0]->issue);
  EXPECT_EQ(hmmas[0]->producers, std::vector<std::int64_t>{wait.producer});
}

TEST(Recorder, ProductsOfWarpgroupsTakeTurns) {
  const Timeline timeline = recorded(group_products(8, 3, 8), 0, 1000, 0);
  std::vector<const InstructionRecord*> products =
      with_opcode(timeline, isa::parse_opcode("HGMMA.64x64x16.F32").value());
  ASSERT_EQ(products.size(), 6U);
  std::ranges::sort(products, {}, &InstructionRecord::held_from);
  EXPECT_GE(products[0]->held_from(), products[0]->issue);
  for (std::size_t i = 0; i < products.size(); ++i) {
    EXPECT_EQ(products[i]->held_until() - products[i]->held_from(), 65);
    EXPECT_EQ(products[i]->end - products[i]->held_until(), 40);
    if (i > 0) {
      EXPECT_EQ(products[i]->held_from(), products[i - 1]->held_until());
    }
  }
  const std::vector<StageSpan> stages = stages_of(*products.back());
  ASSERT_GE(stages.size(), 3U);
  EXPECT_EQ((stages.end() - 3)->stage, Stage::kQueue);
  EXPECT_EQ((stages.end() - 2)->from, products.back()->held_from());
  EXPECT_EQ((stages.end() - 1)->stage, Stage::kWriteBack);
  EXPECT_EQ((stages.end() - 1)->from, products.back()->held_until());
}

TEST(Recorder, AProductWithoutLanesTakesOnlyItsIssueSlot) {
  const Timeline timeline = recorded(group_products(8, 1, 4), 0, 1000);
  int without_lanes = 0;
  for (const InstructionRecord& record : timeline.records) {
    EXPECT_NE(record.end, kNever) << record.text;
    if (!isa::is_group_mma(record.opcode) || record.warp_of_cta < 4) continue;
    ++without_lanes;
    EXPECT_EQ(record.end, record.issue + 1);
    EXPECT_FALSE(record.was_held());
  }
  EXPECT_EQ(without_lanes, 4);
}

TEST(Recorder, PointsFromTheAccumulatorsToTheirReader) {
  const Timeline timeline = recorded(load_multiply_store(), 0, 1000);
  const auto hmmas = with_opcode(timeline, isa::Opcode::kHmma16816F32);
  ASSERT_EQ(hmmas.size(), 2U);
  EXPECT_EQ(std::ranges::count(hmmas[1]->producers, hmmas[0]->id), 1);
  const auto stores = with_opcode(timeline, isa::Opcode::kStg128);
  ASSERT_EQ(stores.size(), 1U);
  EXPECT_EQ(stores[0]->producers, std::vector<std::int64_t>{hmmas[1]->id});
}

TEST(Recorder, ShowsWhatAStoppedRunStillWaitedFor) {
  const Timeline timeline = stopped(dependent_hmmas(20), 110, 1000);
  const InstructionRecord& last = timeline.records.back();
  EXPECT_FALSE(last.has_issued());
  EXPECT_EQ(last.end, 110);
  ASSERT_EQ(last.waits.size(), 1U);
  EXPECT_EQ(cause_text(last.waits[0]), "stall count");
  const std::vector<StageSpan> stages = stages_of(last);
  ASSERT_EQ(stages.size(), 1U);
  EXPECT_EQ(stages[0].stage, Stage::kWait);
  EXPECT_EQ(stages[0].from, last.since);
  EXPECT_EQ(stages[0].until, 110);
  EXPECT_EQ(stopped(hmma_loop(8, 20), 200, 100).records.size(),
            recorded(hmma_loop(8, 20), 0, 100).records.size());
}

TEST(Recorder, KeepsWhatTouchesTheWindowAndNothingElse) {
  const Timeline all = recorded(hmma_loop(8, 20), 0, 1000);
  const Timeline part = recorded(hmma_loop(8, 20), 100, 164);
  std::size_t touching = 0;
  for (const InstructionRecord& record : all.records)
    if (record.since < 164 && record.end > 100) ++touching;
  EXPECT_EQ(part.records.size(), touching);
  EXPECT_LT(touching, all.records.size());
  for (const InstructionRecord& record : recorded(hmma_loop(8, 20), 100, 164, 2).records)
    EXPECT_EQ(record.sub_core, 2);
}

}  // namespace
}  // namespace tcsim::timeline::test
