#include "sim/report/verdict.hpp"

#include <gtest/gtest.h>

namespace tcsim::report {
namespace {

CycleShare share(const std::string& reason, double fraction) {
  return {reason, reason, static_cast<std::uint64_t>(fraction * 1000),
          static_cast<int>(fraction * 1000), fraction};
}

/// As if one remedy were known for each of a few causes.
std::vector<Remedy> known() {
  return {{"tensor_cores", "faster ones", {"--set", "a=1"}},
          {"dependence_global", "a faster L2", {"--set", "b=2"}},
          {"launch", "a shorter launch", {"--set", "c=3"}}};
}

Verdict judged(const ResourceUse& use, const std::vector<CycleShare>& breakdown) {
  return judge(use, breakdown, known());
}

ResourceUse use_of(double tensor, double shared, double dram) {
  ResourceUse use;
  use.issue_fraction = tensor;
  use.issue_active = 0.2;
  use.sm_memory_fraction = shared;
  use.l2_fraction = 0.1;
  use.dram_fraction = dram;
  return use;
}

TEST(Verdict, NamesTheFullestResourceAboveTheThreshold) {
  EXPECT_EQ(judged(use_of(0.8, 0.7, 0.2), {}).bound_by, "tensor_cores");
  EXPECT_EQ(judged(use_of(0.2, 0.7, 0.9), {}).bound_by, "dram");
  EXPECT_EQ(judged(use_of(0.2, 0.7, 0.3), {}).bound_by, "sm_memory");
}

TEST(Verdict, BindsAtSixtyPercentAndNotBelow) {
  EXPECT_EQ(judged(use_of(0.60, 0.1, 0.1), {}).bound_by, "tensor_cores");
  EXPECT_EQ(judged(use_of(0.599, 0.1, 0.1), {}).bound_by, "latency");
}

TEST(Verdict, AddsTheWaitThatHoldsTheResourceBack) {
  const Verdict verdict =
      judged(use_of(0.8, 0.3, 0.2),
             {share("issued", 0.4), share("tensor_pipe_busy", 0.5), share("copy_wait", 0.1)});
  EXPECT_EQ(verdict.phrase, "tensor cores, slowed by copy_wait");
  EXPECT_EQ(verdict.sentence,
            "The run is bound by tensor cores, at 80.0 % of the ceiling; 10.0 % of the sub-core "
            "cycles go to "
            "copy_wait.");
}

TEST(Verdict, AdvisesWhatHelpsAgainstWhatBindsAndNotAgainstWhatHoldsItBack) {
  const Verdict verdict =
      judged(use_of(0.8, 0.3, 0.2), {share("issued", 0.8), share("dependence_global", 0.2)});
  EXPECT_EQ(verdict.advice, "faster ones: --set a=1");
  EXPECT_EQ(verdict.options, (std::vector<std::string>{"--set", "a=1"}));
}

TEST(Verdict, NamesNothingThatHoldsAFullUnitBack) {
  const std::vector<CycleShare> breakdown{share("issued", 0.5), share("dependence_fixed", 0.4)};
  EXPECT_EQ(judged(use_of(0.9, 0.3, 0.2), breakdown).phrase, "tensor cores");
  EXPECT_EQ(judged(use_of(0.899, 0.3, 0.2), breakdown).phrase,
            "tensor cores, slowed by dependence_fixed");
}

TEST(Verdict, AdvisesNothingWhereNothingIsKnownToHelp) {
  const Verdict verdict = judged(use_of(0.1, 0.1, 0.1), {share("no_warp", 0.6)});
  EXPECT_EQ(verdict.bound_by, "parallelism");
  EXPECT_EQ(verdict.advice, "");
  EXPECT_TRUE(verdict.options.empty());
}

TEST(Verdict, BlamesLatencyOnTheLargestWait) {
  const Verdict verdict =
      judged(use_of(0.3, 0.3, 0.3),
             {share("issued", 0.3), share("barrier", 0.3), share("dependence_global", 0.4)});
  EXPECT_EQ(verdict.bound_by, "latency");
  EXPECT_EQ(verdict.phrase, "latency: dependence_global");
  EXPECT_EQ(verdict.advice, "a faster L2: --set b=2");
}

TEST(Verdict, NamesABusyTensorPipeThatTakesMoreThanTheLargestWait) {
  const auto sentence_of = [](double busy) {
    return judged(use_of(0.4, 0.4, 0.4),
                  {share("issued", 0.2), share("tensor_pipe_busy", busy), share("copy_wait", 0.2)})
        .sentence;
  };
  EXPECT_EQ(sentence_of(0.3),
            "No unit reaches 60 % of its ceiling; apart from a busy tensor pipe (30.0 %), warps "
            "wait, most of all for copy_wait (20.0 %).");
  EXPECT_EQ(sentence_of(0.1),
            "No unit reaches 60 % of its ceiling; warps wait, most of all for copy_wait (20.0 %).");
}

TEST(Verdict, BlamesAnIdleChipOnLaunchOrOnTooFewCtas) {
  EXPECT_EQ(judged(use_of(0.1, 0.1, 0.1), {share("launch", 0.4), share("no_warp", 0.2)}).bound_by,
            "launch");
  EXPECT_EQ(judged(use_of(0.1, 0.1, 0.1), {share("launch", 0.2), share("no_warp", 0.4)}).bound_by,
            "parallelism");
}

TEST(Verdict, BlamesAnIdleChipOnWritesThatOutlastTheCtas) {
  const Verdict verdict =
      judged(use_of(0.1, 0.1, 0.1), {share("no_warp", 0.2), share("drain", 0.4)});
  EXPECT_EQ(verdict.bound_by, "drain");
  EXPECT_EQ(verdict.sentence,
            "Sub-cores hold no warp in 60.0 % of their cycles, mostly because of writes that "
            "outlast the CTAs.");
}

TEST(Verdict, WeighsIdleCyclesAgainstTheLargestWait) {
  EXPECT_EQ(
      judged(use_of(0.4, 0.3, 0.2), {share("no_warp", 0.38), share("barrier", 0.37)}).bound_by,
      "parallelism");
  EXPECT_EQ(
      judged(use_of(0.4, 0.3, 0.2), {share("no_warp", 0.37), share("barrier", 0.38)}).bound_by,
      "latency");
}

/// 19 % without a warp are three reasons, each smaller than the wait.
TEST(Verdict, WeighsReasonByReason) {
  const Verdict verdict =
      judged(use_of(0.2, 0.2, 0.1), {share("launch", 0.042), share("drain", 0.015),
                                     share("no_warp", 0.136), share("memory_queue_full", 0.173)});
  EXPECT_EQ(verdict.phrase, "latency: memory_queue_full");
}

TEST(Verdict, BlamesTheTailWhereEverySmHadCtas) {
  const std::vector<CycleShare> breakdown{share("no_warp", 0.4)};
  ResourceUse use = use_of(0.1, 0.1, 0.1);
  use.ended_fraction = 0.2;
  const Verdict verdict = judged(use, breakdown);
  EXPECT_EQ(verdict.bound_by, "parallelism");
  EXPECT_EQ(verdict.sentence,
            "Sub-cores hold no warp in 40.0 % of their cycles, mostly because of SMs that end "
            "before the others.");
  use.ended_fraction = 0.199;
  EXPECT_EQ(judged(use, breakdown).phrase, "too few CTAs to fill the chip");
}

TEST(Verdict, BlamesTheTurnoverOfCtasWhereTheyTakeSeveralWaves) {
  const std::vector<CycleShare> breakdown{share("no_warp", 0.9)};
  ResourceUse use = use_of(0.1, 0.1, 0.1);
  use.waves_fraction = 0.51;
  EXPECT_EQ(judged(use, breakdown).bound_by, "parallelism");
  EXPECT_EQ(judged(use, breakdown).phrase, "CTAs that start and end");
  EXPECT_EQ(judged(use, {share("launch", 0.5), share("no_warp", 0.4)}).phrase, "launch overhead");
  use.ended_fraction = 0.45;
  EXPECT_EQ(judged(use, breakdown).phrase, "SMs that end before the others");
  use.ended_fraction = 0;
  use.waves_fraction = 0.5;
  EXPECT_EQ(judged(use, breakdown).phrase, "too few CTAs to fill the chip");
}

TEST(Verdict, NamesBankConflictsThatMakeSharedMemoryBind) {
  const std::string found = " Of the shared-memory wavefronts, 71.5 % are bank conflicts.";
  ResourceUse use = use_of(0.2, 0.861, 0.1);
  use.conflict_fraction = 0.715;
  EXPECT_EQ(judged(use, {}).sentence,
            "The run is bound by shared memory/L1, at 86.1 % of the ceiling." + found);
  use.sm_memory_fraction = 0.95;
  EXPECT_EQ(judged(use, {}).sentence,
            "The run is bound by shared memory/L1, at 95.0 % of the ceiling: only fewer bank "
            "conflicts or a faster machine would help." +
                found);
  use.conflict_fraction = 0.099;
  EXPECT_EQ(judged(use, {}).sentence,
            "The run is bound by shared memory/L1, at 95.0 % of the ceiling: only a faster machine "
            "would help.");
  use = use_of(0.2, 0.3, 0.8);
  use.conflict_fraction = 0.715;
  EXPECT_EQ(judged(use, {}).sentence, "The run is bound by DRAM, at 80.0 % of the ceiling.");
}

TEST(Verdict, AdvisesAgainstBankConflictsWhereTheyAreMany) {
  const std::vector<Remedy> remedies{{"sm_memory", "a higher clock", {"--set", "d=4"}},
                                     {"bank_conflicts", "the swizzle", {"--tile", "64x64"}}};
  ResourceUse use = use_of(0.2, 0.861, 0.1);
  use.conflict_fraction = 0.1;
  EXPECT_EQ(judge(use, {}, remedies).advice, "the swizzle: --tile 64x64");
  EXPECT_EQ(judge(use, {}, {remedies.front()}).advice, "a higher clock: --set d=4");
  use.conflict_fraction = 0.099;
  EXPECT_EQ(judge(use, {}, remedies).advice, "a higher clock: --set d=4");
}

TEST(Verdict, NamesIdleSmsWhenTheyCostABoundResourceMost) {
  const Verdict verdict =
      judged(use_of(0.8, 0.3, 0.2), {share("issued", 0.4), share("no_warp", 0.1)});
  EXPECT_EQ(verdict.phrase, "tensor cores, slowed by idle SMs");
}

TEST(Verdict, ShowsCudaCoresInsteadOfTensorCoresOnTheirUnit) {
  ResourceUse use = use_of(0.0, 0.1, 0.1);
  use.tensor_unit = false;
  use.fma_fraction = 0.9;
  const Verdict verdict = judged(use, {});
  EXPECT_EQ(verdict.bound_by, "cuda_cores");
  ASSERT_FALSE(verdict.bars.empty());
  EXPECT_EQ(verdict.bars.front().id, "cuda_cores");
}

TEST(Verdict, NamesAnotherUnitAtTheCeilingOfOneWhereItIsAdvised) {
  ResourceUse use = use_of(0.0, 0.1, 0.1);
  use.tensor_unit = false;
  use.fma_fraction = 0.9;
  EXPECT_EQ(judge(use, {}, {{"cuda_cores", "a higher clock", {"--set", "d=4"}}}).sentence,
            "The run is bound by CUDA cores, at 90.0 % of the ceiling: only a faster machine would "
            "help.");
  EXPECT_EQ(judge(use, {}, {{"cuda_cores", "tensor cores", {"--unit", "tensor"}}}).sentence,
            "The run is bound by CUDA cores, at 90.0 % of the ceiling: only another unit or a "
            "faster machine would help.");
}

TEST(Verdict, LeavesOutResourcesThatDoNotApply) {
  ResourceUse use;
  use.dram_fraction = 0.9;
  const Verdict verdict = judged(use, {});
  ASSERT_EQ(verdict.bars.size(), 1u);
  EXPECT_EQ(verdict.bars.front().id, "dram");
}

}  // namespace
}  // namespace tcsim::report
