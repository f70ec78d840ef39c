// Barriers of some warps of a CTA: BAR.SYNC and BAR.ARV with a number of threads.

#include <gmock/gmock.h>

#include "models/functional/execute.hpp"
#include "tests/functional/small_launch.hpp"

namespace tcsim::functional::testing {
namespace {

using isa::Opcode;
using ::testing::HasSubstr;

numerics::Result<ExecutionResult> run(std::vector<isa::Instruction> first,
                                      std::vector<isa::Instruction> second,
                                      std::vector<isa::Instruction> third = {}) {
  isa::KernelLaunch launch = small_launch(3, {});
  launch.programs.clear();
  launch.program_of_warp = {0, 1, 2};
  for (auto* instructions : {&first, &second, &third}) {
    instructions->push_back(plain(Opcode::kExit));
    launch.programs.push_back({.name = "p" + std::to_string(launch.programs.size()),
                               .instructions = std::move(*instructions),
                               .accesses = {own_row(), common_row(), common_row(128)}});
  }
  GlobalMemory memory(launch);
  return execute(launch, numerics::Generation::kAmpere, memory);
}

isa::Instruction at(Opcode opcode, int number, int warps) {
  return plain(opcode, isa::immediate_of({number, warps}));
}

std::int64_t racing_bytes(const numerics::Result<ExecutionResult>& result) {
  EXPECT_TRUE(result.has_value()) << result.refusal().reason;
  return result.value().racing_bytes;
}

TEST(NamedBarriers, OrderWhatIsBeforeAnArrivalBehindAWait) {
  const auto arrives = at(Opcode::kBarArrive, 1, 2);
  const auto waits = at(Opcode::kBarSync, 1, 2);
  EXPECT_EQ(
      racing_bytes(run({memory(Opcode::kSts32, 1), arrives}, {waits, memory(Opcode::kLds32, 1)})),
      0);
  EXPECT_EQ(
      racing_bytes(run({arrives, memory(Opcode::kSts32, 1)}, {waits, memory(Opcode::kLds32, 1)})),
      128)
      << "written behind the arrival";
  EXPECT_EQ(
      racing_bytes(run({memory(Opcode::kSts32, 1), arrives}, {memory(Opcode::kLds32, 1), waits})),
      128)
      << "read before the wait";
}

TEST(NamedBarriers, OrderNothingForWarpsThatDoNotCome) {
  const auto waits = at(Opcode::kBarSync, 1, 2);
  EXPECT_EQ(
      racing_bytes(run({memory(Opcode::kSts32, 1), waits}, {waits}, {memory(Opcode::kLds32, 1)})),
      128);
}

TEST(NamedBarriers, CanBeUsedAgainByOthersAndBesideOneOfAll) {
  const auto of_two = at(Opcode::kBarSync, 3, 2);
  const auto of_all = plain(Opcode::kBarSync);
  EXPECT_EQ(racing_bytes(run({memory(Opcode::kSts32, 1), of_two, of_all},
                             {of_two, memory(Opcode::kLds32, 1), of_all, of_two},
                             {of_all, memory(Opcode::kSts32, 1), of_two})),
            0);
}

TEST(NamedBarriers, ThatLackAWarpAreToldOf) {
  const auto result = run({at(Opcode::kBarSync, 5, 2)}, {});
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(
      result.refusal().reason,
      HasSubstr("warp 0 waits at 0x0000 at barrier 5, which is in phase 0, which lacks 1 of "
                "2 arrivals"));
}

TEST(NamedBarriers, OfDifferentSizesAreToldOf) {
  const auto result = run({at(Opcode::kBarSync, 5, 2)}, {at(Opcode::kBarSync, 5, 3)});
  ASSERT_FALSE(result.has_value());
  EXPECT_THAT(result.refusal().reason, HasSubstr("barrier 5 of 3 warps, at which others expect 2"));
}

}  // namespace
}  // namespace tcsim::functional::testing
