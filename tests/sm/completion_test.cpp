// Units tell tokens, in order of time, and know nothing of what the tokens stand for.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <tuple>
#include <vector>

#include "models/sm/completion_queue.hpp"
#include "models/sm/memory_pipeline.hpp"
#include "tests/sm/sm_bench.hpp"

namespace tcsim::sm::test {
namespace {

using Kind = CompletionToken::Kind;

/// Tokens that no SM would make: no such warp, counter, group or instruction.
constexpr CompletionToken kSources{Kind::kSourcesRead, 201, 60'001, -7};
constexpr CompletionToken kDone{Kind::kCopy, 202, 60'002, -8};

TEST(CompletionQueue, GivesThemByTime) {
  CompletionQueue queue;
  EXPECT_TRUE(queue.is_empty());
  EXPECT_EQ(queue.next(), kNever);
  queue.push(20, kDone, CycleReason::kCopyWait);
  queue.push(10, kSources, CycleReason::kConstant);
  EXPECT_EQ(queue.next(), 10);
  const Completion first = queue.pop();
  EXPECT_EQ(first.at, 10);
  EXPECT_EQ(first.token, kSources);
  EXPECT_EQ(first.reason, CycleReason::kConstant);
  EXPECT_EQ(queue.pop().token, kDone);
  EXPECT_TRUE(queue.is_empty());
}

TEST(CompletionQueue, GivesThoseOfOneCycleInTheOrderInWhichTheyCame) {
  CompletionQueue queue;
  for (std::uint16_t i = 0; i < 50; ++i)
    queue.push(5, {Kind::kResult, 0, i, 0}, CycleReason::kConstant);
  for (std::uint16_t i = 0; i < 50; ++i) EXPECT_EQ(queue.pop().token.index, i);
}

TEST(CompletionQueue, DropsWhatNobodyWaitsFor) {
  CompletionQueue queue;
  queue.push(5, CompletionToken{}, CycleReason::kConstant);
  EXPECT_TRUE(queue.is_empty());
}

/// A memory pipeline without an SM, which answers every read `kMemoryLatency` cycles after it left.
class PipelineBench {
 public:
  explicit PipelineBench(const ProgramBuilder& program)
      : params_(ampere_sm()),
        root_("test"),
        fetch_(params_, 0, root_),
        constants_(params_.constant_cache, params_.instruction_fetch, 0, params_.sub_cores, fetch_,
                   root_),
        port_(params_.cluster, 0),
        pipeline_(params_, 0, constants_, told_, port_, root_),
        kernel_(single_warp(program), params_, timing_table(params_)) {
    pipeline_.begin_kernel(kernel_, params_.l1.bytes / 2);
  }

  /// Issues instruction `index` at cycle 0 and runs; when each token was told.
  std::map<Kind, Cycle> run(int index, CompletionToken sources_read, CompletionToken done) {
    const DecodedProgram& program = kernel_.program_of_warp(0);
    const DecodedInstruction& instruction = program.instructions[static_cast<std::size_t>(index)];
    const DecodedAccess& access = program.accesses[static_cast<std::size_t>(instruction.access)];
    pipeline_.accept(
        {instruction, {access, 0, access.global.lane}, kAllLanes, {}, 0, sources_read, done}, 0);
    std::map<Kind, Cycle> told;
    for (Cycle now = 0; now < 1000; ++now) {
      for (const memory::LineRequest& request : pipeline_.requests())
        if (request.cycle + kMemoryLatency == now) answer(request, now);
      if (pipeline_.next_step() <= now) pipeline_.step(now);
      while (told_.next() <= now) {
        const Completion completion = told_.pop();
        EXPECT_TRUE(completion.token == sources_read || completion.token == done);
        told[completion.token.kind] = now;
      }
    }
    EXPECT_TRUE(pipeline_.is_idle());
    return told;
  }

 private:
  void answer(const memory::LineRequest& request, Cycle now) {
    const bool is_read = request.access == memory::LineAccess::kRead;
    pipeline_.receive(
        memory::LineResponse{now, is_read ? request.tag : memory::kWriteDone | request.tag}, now);
  }

  const SmParams params_;
  stats::Group root_;
  CompletionQueue told_;
  InstructionFetch fetch_;
  ConstantCache constants_;
  PeerPort port_;
  MemoryPipeline pipeline_;
  const Kernel kernel_;
};

using Told = std::map<Kind, Cycle>;

TEST(MemoryPipeline, TellsTheTokensOfALoadWithoutKnowingThem) {
  ProgramBuilder program;
  program.shared(Opcode::kLds32, per_lane(4)).dst(4).src(2);
  program.global(Opcode::kLdg32, per_lane(4)).dst(4).src(2);
  // Sources after 11 cycles; data after 23 from shared memory, 16 out and 17 back from global.
  EXPECT_EQ(PipelineBench(program).run(0, kSources, kDone),
            (Told{{Kind::kSourcesRead, 11}, {Kind::kCopy, 23}}));
  EXPECT_EQ(PipelineBench(program).run(1, kSources, kDone),
            (Told{{Kind::kSourcesRead, 11}, {Kind::kCopy, 16 + kMemoryLatency + 17}}));
}

TEST(MemoryPipeline, TellsTheTokensOfACopy) {
  ProgramBuilder program;
  program.global(Opcode::kLdgsts32, per_lane(4), per_lane(4)).src(2, 4);
  EXPECT_EQ(PipelineBench(program).run(0, kSources, kDone),
            (Told{{Kind::kSourcesRead, 11}, {Kind::kCopy, 16 + kMemoryLatency + 19}}));
}

TEST(MemoryPipeline, TellsNobodyWhereNobodyWaits) {
  ProgramBuilder program;
  program.global(Opcode::kLdg32, per_lane(4)).dst(4).src(2);
  program.global(Opcode::kStg32, per_lane(4)).src(2, 4);
  EXPECT_EQ(PipelineBench(program).run(0, {}, {}), Told{});
  EXPECT_EQ(PipelineBench(program).run(0, {}, kDone),
            (Told{{Kind::kCopy, 16 + kMemoryLatency + 17}}));
  EXPECT_EQ(PipelineBench(program).run(1, kSources, {}), (Told{{Kind::kSourcesRead, 11}}));
}

/// Hears of the ends of instructions.
class Ends : public Observer {
 public:
  void begin_kernel(const Kernel& /*kernel*/) override {}
  void started(const Warp& /*warp*/, Cycle /*at*/) override {}
  void issued(const Warp& /*warp*/, const IssueWait& /*wait*/, Cycle /*now*/) override {}
  void entered_memory(IssueId instruction, const MemoryEntry& entry) override {
    entered.emplace_back(instruction.warp, instruction.issue, entry.at, entry.sources_read);
  }
  void completed(IssueId instruction, Cycle at) override {
    ended.emplace_back(instruction.warp, instruction.issue, at);
  }

  std::vector<std::tuple<int, Cycle, Cycle, Cycle>> entered;
  std::vector<std::tuple<int, Cycle, Cycle>> ended;
};

TEST(Observer, HearsWhichInstructionIsDoneAlsoWhereNobodyWaits) {
  ProgramBuilder program;
  program.op(Opcode::kNop);
  program.shared(Opcode::kLds32, per_lane(4)).dst(4).src(2).writes(0);
  program.shared(Opcode::kLds32, per_lane(4)).dst(5).src(2);
  program.op(Opcode::kExit).waits(0);
  Ends ends;
  SmBench bench(make_launch({program.program()}, {0, 0}));  // the second warp on sub-core 1
  bench.attach(ends);
  bench.start_cta(0);
  bench.finish();
  // The four enter the pipeline one after the other, sub-cores taking turns, 4 cycles apart on
  // each.
  EXPECT_THAT(ends.entered,
              testing::ElementsAre(std::tuple(0, 1, 5, 12), std::tuple(1, 1, 6, 13),
                                   std::tuple(0, 2, 9, 16), std::tuple(1, 2, 10, 17)));
  EXPECT_THAT(ends.ended, testing::ElementsAre(std::tuple(0, 1, 24), std::tuple(1, 1, 25),
                                               std::tuple(0, 2, 28), std::tuple(1, 2, 29)));
}

}  // namespace
}  // namespace tcsim::sm::test
