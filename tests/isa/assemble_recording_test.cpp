#include "models/isa/assemble_recording.hpp"

#include <gmock/gmock.h>

#include "models/isa/assemble.hpp"
#include "tests/support/program.hpp"

namespace tcsim::isa {
namespace {

using test::ProgramBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Jumps = std::vector<std::pair<int, int>>;

/// Of a launch, only the ways through its code.
class Paths : public Recording {
 public:
  explicit Paths(Jumps jumps) : jumps_(std::move(jumps)) {}
  int sm_version() const override { return 80; }
  std::unique_ptr<RecordedWarp> open(const std::array<std::int64_t, 3>&, int) const override {
    return nullptr;
  }
  const std::vector<LanePattern>& patterns() const override { return patterns_; }
  const std::vector<RecordedBox>& boxes() const override { return boxes_; }
  const Jumps& jumps() const override { return jumps_; }
  const std::vector<std::uint64_t>& addresses() const override { return addresses_; }
  const std::vector<std::int64_t>& executions() const override { return executions_; }
  const std::vector<std::int64_t>& box_bytes() const override { return executions_; }

 private:
  Jumps jumps_;
  std::vector<LanePattern> patterns_;
  std::vector<RecordedBox> boxes_;
  std::vector<std::uint64_t> addresses_;
  std::vector<std::int64_t> executions_;
};

/// Every operation takes 4 cycles, multiply-adds `ffma_latency`.
TimingTable timing(int ffma_latency = 30) {
  TimingTable table;
  table.fill({1, 4});
  table[static_cast<std::size_t>(Opcode::kFfma)] = {1, ffma_latency};
  return table;
}

std::vector<Instruction> assembled(const WarpProgram& program, Jumps jumps, int ffma_latency = 30) {
  KernelLaunch launch;
  launch.programs = {program};
  launch.recording = std::make_shared<Paths>(std::move(jumps));
  assemble_recording(launch, timing(ffma_latency));
  return launch.programs.front().instructions;
}

Jumps ranges(const Jumps& jumps) {
  Jumps ranges;
  for (const Loop& loop : loops_of(jumps)) ranges.emplace_back(loop.first, loop.last);
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

TEST(LoopsOf, JumpsAheadAreNone) { EXPECT_THAT(ranges({{1, 5}, {2, 9}}), IsEmpty()); }

TEST(LoopsOf, NestedRangesStay) {
  EXPECT_EQ(ranges({{9, 0}, {4, 2}, {8, 6}, {20, 15}, {7, 7}}),
            (Jumps{{0, 9}, {2, 4}, {6, 8}, {7, 7}, {15, 20}}));
}

TEST(LoopsOf, SameStartNestsAndSameEndIsOne) {
  EXPECT_EQ(ranges({{9, 2}, {5, 2}}), (Jumps{{2, 5}, {2, 9}}));
  EXPECT_EQ(ranges({{9, 2}, {9, 5}}), (Jumps{{2, 9}}));
}

TEST(LoopsOf, CrossingRangesBecomeOne) {
  EXPECT_EQ(ranges({{5, 0}, {8, 3}}), (Jumps{{0, 8}}));
  EXPECT_EQ(ranges({{9, 0}, {5, 2}, {12, 4}}), (Jumps{{0, 12}}));
}

TEST(AssembleRecording, IsTheAssemblerOnALoop) {
  ProgramBuilder builder;
  const int loop = builder.begin_loop(0, {4, {}});
  builder.op(Opcode::kLds32).dst(4).src(2);
  builder.op(Opcode::kFfma).dst(8).src(4, 5, 8);
  builder.end_loop(loop);
  builder.op(Opcode::kExit);
  WarpProgram with_loop = builder.program();
  WarpProgram recorded = with_loop;
  recorded.loops.clear();
  for (Instruction& instruction : recorded.instructions) instruction.access = kNoIndex;
  const std::vector<Instruction> found = assembled(recorded, {{2, 0}});
  assemble(with_loop, timing());
  std::vector<std::uint8_t> waits;
  for (const Instruction& instruction : with_loop.instructions)
    if (instruction.opcode != Opcode::kNop) waits.push_back(instruction.control.wait_mask);
  ASSERT_EQ(waits.size(), found.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].control.wait_mask, waits[i]);
}

TEST(AssembleRecording, LongLatenciesBecomeOneStall) {
  ProgramBuilder builder;
  builder.op(Opcode::kFfma).dst(8).src(4, 5, 8);
  builder.op(Opcode::kFadd).dst(9).src(8, 8);
  builder.op(Opcode::kExit);
  for (const int latency : {30, 255, 256, 424})
    EXPECT_EQ(assembled(builder.program(), {}, latency).front().control.stall, latency);
}

TEST(AssembleRecording, TheTargetOfAJumpWaitsForWhatWasSkipped) {
  ProgramBuilder builder;
  builder.op(Opcode::kMufuEx2).dst(4).src(2);  // 0
  builder.op(Opcode::kNop);                    // 1, jumps to 3
  builder.op(Opcode::kFadd).dst(5).src(4, 4);  // 2 waits for 0
  builder.op(Opcode::kFadd).dst(6).src(2, 2);  // 3
  builder.op(Opcode::kFadd).dst(7).src(4, 4);  // 4 relies on 2
  builder.op(Opcode::kExit);
  const auto waits = [&builder](const Jumps& jumps) {
    std::vector<bool> masks;
    for (const Instruction& instruction : assembled(builder.program(), jumps))
      masks.push_back(instruction.control.wait_mask != 0);
    return masks;
  };
  EXPECT_THAT(waits({}), ElementsAre(false, false, true, false, false, false));
  EXPECT_THAT(waits({{1, 3}}), ElementsAre(false, false, true, true, false, false));
}

TEST(AssembleRecording, AJumpBackIntoTheMiddleOfALoopIsCovered) {
  ProgramBuilder builder;
  builder.op(Opcode::kFadd).dst(5).src(4, 4);  // 0 waits for 2 of the trip before
  builder.op(Opcode::kFadd).dst(6).src(4, 4);  // 1 relies on 0, or jumps to 0
  builder.op(Opcode::kMufuEx2).dst(4).src(2);  // 2, jumps to 1 or goes on
  builder.op(Opcode::kExit);
  const std::vector<Instruction> code = assembled(builder.program(), {{1, 0}, {2, 1}});
  EXPECT_NE(code[1].control.wait_mask, 0);
}

}  // namespace
}  // namespace tcsim::isa
