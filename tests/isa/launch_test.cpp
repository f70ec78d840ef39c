#include "models/isa/launch.hpp"

#include <gmock/gmock.h>

namespace tcsim::isa {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Two nested loops round a load, then EXIT.
KernelLaunch small_launch() {
  WarpProgram program{.name = "main"};
  program.accesses.push_back({.buffer = 0});
  program.guards.push_back({{{{0, {{Variable::kLane, 1}}}, 16}}});
  program.instructions = {
      {.opcode = Opcode::kMov, .dst = 2},
      {.opcode = Opcode::kLdg128,
       .dst = 4,
       .src = {2, kZeroRegister, kZeroRegister},
       .access = 0,
       .guard = 0},
      {.opcode = Opcode::kBra, .immediate = 1},
      {.opcode = Opcode::kBra, .immediate = 0},
      {.opcode = Opcode::kExit},
  };
  program.loops = {{.first = 0, .last = 3, .depth = 0, .trips = {2, {}}},
                   {.first = 1, .last = 2, .depth = 1, .trips = {1, {{Variable::kCtaX, 1}}}}};
  KernelLaunch launch{.name = "small", .grid = {4, 1, 1}, .registers_per_thread = 8};
  launch.buffers = {{"A", 0x100, 0x200, true}, {"D", 0x300, 0x100, false}};
  launch.programs = {program};
  launch.program_of_warp = {0};
  return launch;
}

TEST(Validate, AcceptsAProperLaunch) { EXPECT_THAT(validate(small_launch()), IsEmpty()); }

TEST(Validate, AllowsNoTripsBehindASkipOnly) {
  KernelLaunch launch = small_launch();
  launch.programs[0].loops[1].trips = {0, {{Variable::kCtaX, 1}}};
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("loop 1 runs 0 times for some warp")));
  launch.programs[0].instructions[0] = {.opcode = Opcode::kBraSkip, .immediate = 1};
  EXPECT_THAT(validate(launch), IsEmpty());
  launch.programs[0].loops[1].trips.constant = -1;
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("loop 1 runs -1 times for some warp")));
}

/// small_launch, whose inner loop runs u1 = ctaid.x + i0 times and `more`.
KernelLaunch launch_with_uniforms(std::int64_t more) {
  KernelLaunch launch = small_launch();
  WarpProgram& program = launch.programs[0];
  program.uniforms = {{0, {{Variable::kCtaX, 1}}},
                      {more, {{uniform_variable(0), 1}, {Variable::kLoop0, 1}}}};
  program.loops[1].trips = {0, {{uniform_variable(1), 1}}};
  return launch;
}

TEST(Validate, FindsTheFewestTripsOfUniforms) {
  EXPECT_THAT(validate(launch_with_uniforms(1)), IsEmpty());
  // In CTA 0, in the first trip of the outer loop.
  EXPECT_THAT(validate(launch_with_uniforms(0)),
              ElementsAre(HasSubstr("loop 1 runs 0 times for some warp")));
  KernelLaunch launch = launch_with_uniforms(1);
  launch.grid = {1 << 30, 1, 1};
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("more CTAs and trips than can be checked")));
}

/// small_launch, whose outer loop runs u0 = ctaid.x / `ctas` times and can be skipped; its inner
/// loop runs u0 + 1 times.
KernelLaunch launch_of_rare_trips(std::uint32_t ctas) {
  KernelLaunch launch = small_launch();
  WarpProgram& program = launch.programs[0];
  program.uniforms = {{0, {{Variable::kCtaX, 1, ctas}}}};
  program.instructions.insert(program.instructions.begin(),
                              {.opcode = Opcode::kBraSkip, .immediate = 0});
  for (Loop& loop : program.loops) {
    ++loop.first;
    ++loop.last;
  }
  program.loops[0].trips = {0, {{uniform_variable(0), 1}}};
  program.loops[1].trips = {1, {{uniform_variable(0), 1}}};
  return launch;
}

TEST(Validate, AcceptsALoopThatNoCtaEnters) {
  EXPECT_THAT(validate(launch_of_rare_trips(4)), IsEmpty());
}

TEST(Validate, CountsCtasThatDoNotEnterALoopAmongTheTried) {
  constexpr std::int64_t kMostCtas = 2147483647;
  KernelLaunch launch = launch_of_rare_trips(kMostCtas);
  launch.grid = {kMostCtas, 65535, 1};
  EXPECT_THAT(validate(launch), IsEmpty());
}

TEST(Validate, TriesTheValuesOfUniformsWhereCtasAreTooMany) {
  KernelLaunch launch = small_launch();
  launch.grid = {1 << 30, 1, 1};
  WarpProgram& program = launch.programs[0];
  // 1 = (2 u0 + 1) - 2 u0 for every u0 of ctaid.x / 2^20 % 16. A running sum that it does not need.
  program.uniforms = {{0, {{Variable::kCtaX, 1, 1 << 20, 16}}},
                      {1, {{uniform_variable(0), 2}}},
                      {0, {{uniform_variable(2), 1}, {uniform_variable(1), 1}}}};
  program.loops[1].trips = {0, {{uniform_variable(1), 1}, {uniform_variable(0), -2}}};
  EXPECT_THAT(validate(launch), IsEmpty());
  program.uniforms[1].constant = 0;
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("loop 1 runs 0 times for some warp")));
  program.uniforms[1] = {15,
                         {{uniform_variable(0), -1}}};  // 0 in the last CTAs, which are not tried
  program.loops[1].trips = {0, {{uniform_variable(1), 1}}};
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("more CTAs and trips than can be checked")));
  program.uniforms[1].constant = 16;
  EXPECT_THAT(validate(launch), IsEmpty());
  program.loops[1].trips.terms[0].variable = uniform_variable(2);
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("more CTAs and trips than can be checked")));
}

TEST(Validate, RefusesUniformsThatDependOnMoreThanTheyMay) {
  KernelLaunch launch = launch_with_uniforms(1);
  WarpProgram& program = launch.programs[0];
  program.uniforms[0].terms[0].variable = Variable::kLane;
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("uniform 0 depends on more than CTA")));
  program.uniforms[0].terms[0].variable = uniform_variable(1);
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("uniform 0 depends on more than CTA")));
  program.uniforms[0].terms[0] = {Variable::kCtaX, 1, 0};
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("uniform 0 divides by zero")));
  program.uniforms.clear();
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("uniforms that do not exist")));
}

TEST(Validate, RefusesAnOutermostLoopWhoseTripsItsCounterChanges) {
  KernelLaunch launch = launch_with_uniforms(1);
  launch.programs[0].loops[0].trips = {0, {{uniform_variable(1), 1}}};
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("that the outermost loop changes")));
}

TEST(Validate, RefusesASkipThatStandsElsewhere) {
  KernelLaunch launch = small_launch();
  launch.programs[0].instructions[0] = {.opcode = Opcode::kBraSkip, .immediate = 0};
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("is not right before loop 0")));
  launch.programs[0].instructions[0].immediate = 2;
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("loop 2 does not exist")));
}

TEST(Validate, RefusesARegisterBeyondTheAllocation) {
  KernelLaunch launch = small_launch();
  launch.registers_per_thread = 7;
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("destination reaches R7 of 7 registers")));
}

TEST(Validate, RefusesIndicesThatDoNotExist) {
  KernelLaunch launch = small_launch();
  launch.programs[0].instructions[1].guard = 1;
  launch.programs[0].instructions[1].access = 5;
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("guard 1 does not exist"),
                                            HasSubstr("access 5 does not exist")));
}

TEST(Validate, RefusesAGlobalLoadWithoutABuffer) {
  KernelLaunch launch = small_launch();
  launch.programs[0].accesses[0].buffer = kNoIndex;
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("without a buffer")));
}

/// small_launch, whose load is of `opcode` from `access`.
KernelLaunch launch_of_load(Opcode opcode, MemoryAccess access) {
  KernelLaunch launch = small_launch();
  launch.programs[0].instructions[1].opcode = opcode;
  launch.programs[0].accesses[0] = std::move(access);
  launch.shared_bytes_per_cta = 128;
  return launch;
}

TEST(Validate, RefusesSharedMemoryThatTheCtaSurelyLacks) {
  KernelLaunch launch = launch_of_load(Opcode::kLds32, {.shared = {{128, {{Variable::kLane, 4}}}}});
  EXPECT_THAT(
      validate(launch),
      ElementsAre(HasSubstr("(LDS): touches shared byte 128 or a later one, the CTA has 128")));
  // Lanes 0 to 15 take part.
  launch.shared_bytes_per_cta = 191;
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("touches shared byte 191 or a later one")));
  launch.shared_bytes_per_cta = 192;
  EXPECT_THAT(validate(launch), IsEmpty());
  Expression& offset = launch.programs[0].accesses[0].shared.offset;
  launch.shared_bytes_per_cta = 128;
  offset = {64, {{Variable::kLane, 4}, {Variable::kLoop0, 32}}};
  EXPECT_THAT(validate(launch), IsEmpty());
  offset.terms[1].coefficient = -32;
  offset.constant = 192;
  EXPECT_THAT(validate(launch), IsEmpty()) << "hangs on the loop";
  offset = {.constant = 64, .quotients = {{.terms = {{Variable::kCtaX, 64}}, .least = 64}}};
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("touches shared byte 128 or a later one")));
  launch.programs[0].accesses[0].shared = {{132, {}}, {.bits = 3, .base = 4, .shift = 3}};
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("touches shared byte 128 or a later one")));
  launch.programs[0].accesses[0].shared.offset.constant = 124;
  EXPECT_THAT(validate(launch), IsEmpty());
}

TEST(Validate, RefusesGlobalMemoryThatTheBufferSurelyLacks) {
  KernelLaunch launch =
      launch_of_load(Opcode::kLdg128, {.buffer = 0, .global = {{0x100, {{Variable::kLane, 16}}}}});
  EXPECT_THAT(validate(launch), IsEmpty());
  Expression& offset = launch.programs[0].accesses[0].global.offset;
  offset.constant = 0x110;
  EXPECT_THAT(
      validate(launch),
      ElementsAre(HasSubstr("(LDG.E.128): touches byte 512 or a later one, buffer A has 512")));
  launch.programs[0].guards[0].bounds[0].limit = 15;
  EXPECT_THAT(validate(launch), IsEmpty());
  offset.constant = -16;
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("(LDG.E.128): touches byte -16")));
  // (lane - 5) % 8 is below 0 for five lanes.
  offset = {
      .quotients = {
          {.coefficient = 16, .constant = -5, .terms = {{Variable::kLane, 1}}, .modulus = 8}}};
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("(LDG.E.128): touches byte -80")));
  offset = {-16, {{Variable::kLane, 16}}};
  launch.programs[0].guards[0].bounds.push_back({{0, {{Variable::kLane, -1}}}, 0});
  EXPECT_THAT(validate(launch), IsEmpty()) << "lane 0 takes no part";
  // Lanes that an EXIT has ended before are unknown.
  offset.constant = 0x200;
  EXPECT_THAT(validate(launch), ::testing::SizeIs(1));
  launch.programs[0].instructions[0] = {.opcode = Opcode::kExit, .guard = 0};
  EXPECT_THAT(validate(launch), IsEmpty());
}

TEST(Validate, RefusesAddressesThatAreNoMultipleOfTheirWidth) {
  KernelLaunch launch =
      launch_of_load(Opcode::kLdg128, {.buffer = 0, .global = {{0, {{Variable::kLane, 4}}}}});
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("(LDG.E.128): 16 bytes of lane 1 at byte 4, "
                                                      "allowed multiples of 16")));
  launch.programs[0].instructions[1].opcode = Opcode::kLdg32;
  EXPECT_THAT(validate(launch), IsEmpty());
  Expression& offset = launch.programs[0].accesses[0].global.offset;
  offset = {2, {{Variable::kLoop0, 8}}};
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("4 bytes of lane 0 at byte 2 and so on")));
  offset.terms[0].coefficient = 2;
  EXPECT_THAT(validate(launch), IsEmpty()) << "hangs on the loop";
}

TEST(Validate, LooksOnlyAtLanesThatTheGuardCertainlyLetsPass) {
  KernelLaunch launch = launch_of_load(Opcode::kLds32, {.shared = {{128, {}}}});
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("(LDS): touches shared byte 128")));
  std::vector<Bound>& bounds = launch.programs[0].guards[0].bounds;
  bounds = {{{4, {{Variable::kWarp, 4, 1, 2}}}, 4}};
  EXPECT_THAT(validate(launch), IsEmpty()) << "no warp takes part";
  bounds[0].limit = 5;
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("(LDS): touches shared byte 128")));
  // (warp + 1) % 2 is 1 in the only warp.
  bounds = {{{0, {{Variable::kWarp, 1, 1, 2, 1}}}, 1}};
  EXPECT_THAT(validate(launch), IsEmpty());
}

TEST(Validate, LetsOneLaneTouchAFlag) {
  KernelLaunch launch = launch_of_load(Opcode::kLdgStrong32, {.buffer = 0});
  launch.buffers[0].flags = true;
  EXPECT_THAT(validate(launch),
              ElementsAre(HasSubstr("touches flags with 16 lanes, allowed 1, which a guard "
                                    "chooses")));
  launch.programs[0].guards[0].bounds[0].limit = 1;
  EXPECT_THAT(validate(launch), IsEmpty());
}

TEST(Validate, WantsConstantsOnTheirMultiples) {
  KernelLaunch launch = small_launch();
  Instruction& move = launch.programs[0].instructions[0];
  move.has_constant = true;
  move.immediate = 352;
  EXPECT_THAT(validate(launch), IsEmpty());
  move.immediate = 354;
  EXPECT_THAT(validate(launch),
              ElementsAre(HasSubstr("reads constant byte 354, allowed multiples of 4")));
}

TEST(Validate, RefusesRegistersThatAreNoMultipleOfTheirWidth) {
  KernelLaunch launch = small_launch();
  launch.registers_per_thread = 16;
  launch.programs[0].instructions[1].dst = 6;
  launch.programs[0].instructions[1].src[0] = 3;
  EXPECT_THAT(validate(launch),
              ElementsAre(HasSubstr("destination R6 of 4 registers, allowed multiples of 4"),
                          HasSubstr("source R3 of 2 registers, allowed multiples of 2")));
}

TEST(Validate, RefusesPlacesThatTheClusterSurelyLacks) {
  KernelLaunch launch =
      launch_of_load(Opcode::kLd32, {.shared = {{cluster_address(1, 64), {{Variable::kLane, 4}}}}});
  EXPECT_THAT(validate(launch),
              ElementsAre(HasSubstr("(LD.E): reaches rank 1 of a cluster of 1 CTAs")));
  launch.cluster = {2, 1, 1};
  EXPECT_THAT(validate(launch), IsEmpty());
  launch.programs[0].accesses[0].shared.offset.constant = cluster_address(-1, 64);
  EXPECT_THAT(validate(launch),
              ElementsAre(HasSubstr("(LD.E): reaches rank -1 of a cluster of 2 CTAs")));
  launch.programs[0].accesses[0].shared.offset = {
      68, {{Variable::kLane, 4}, {Variable::kCtaX, cluster_address(1, 0), 1, 2}}};
  EXPECT_THAT(validate(launch),
              ElementsAre(HasSubstr("touches shared byte 128 of a CTA that has 128")));
}

TEST(Validate, RefusesADivisionByZeroInASourceGuard) {
  KernelLaunch launch = small_launch();
  launch.programs[0].accesses[0].source.bounds.push_back({{0, {{Variable::kLane, 1, 0}}}, 16});
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("access 0 divides by zero in its source")));
}

TEST(Validate, RefusesAMissingExit) {
  KernelLaunch launch = small_launch();
  launch.programs[0].instructions.back() = {.opcode = Opcode::kNop};
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("does not end in an unguarded EXIT")));
}

TEST(Validate, RefusesLoopsThatCross) {
  KernelLaunch launch = small_launch();
  launch.programs[0].loops[0].first = 2;
  EXPECT_THAT(validate(launch), ::testing::Contains(HasSubstr("cross")));
}

TEST(Validate, RefusesAWrongLoopDepth) {
  KernelLaunch launch = small_launch();
  launch.programs[0].loops[1].depth = 0;
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("has depth 0 inside 1 loops")));
}

TEST(Validate, RefusesABranchThatEndsNoLoop) {
  KernelLaunch launch = small_launch();
  launch.programs[0].instructions[2].immediate = 0;
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("is not the end of loop 0"),
                                            HasSubstr("loop 1 does not end in its BRA")));
}

TEST(Validate, RefusesATripCountThatIsZeroForOneCta) {
  KernelLaunch launch = small_launch();
  launch.programs[0].loops[1].trips = {3, {{Variable::kCtaX, -1}}};
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("loop 1 runs 0 times for some warp")));
  launch.programs[0].loops[1].trips.constant = 4;
  EXPECT_THAT(validate(launch), IsEmpty());
}

TEST(Validate, TriesATripCountThatDividesASum) {
  KernelLaunch launch = small_launch();
  launch.warps_per_cta = 2;
  launch.program_of_warp = {0, 0};
  // (2 x + 3 warp + 1) / 2 is 0 for CTA 0, warp 0 alone.
  Expression& trips = launch.programs[0].loops[1].trips;
  trips = {
      .quotients = {
          {.constant = 1, .terms = {{Variable::kCtaX, 2}, {Variable::kWarp, 3}}, .divisor = 2}}};
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("loop 1 runs 0 times for some warp")));
  trips.quotients[0].constant = 2;
  EXPECT_THAT(validate(launch), IsEmpty());
  for (const Variable variable : {Variable::kLoop0, Variable::kLane}) {
    trips.quotients[0].terms[0].variable = variable;
    EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("depends on a loop or the lane")));
  }
}

TEST(Validate, TriesOnlyTheCtasWhoseDividedSumsCanDiffer) {
  KernelLaunch launch = small_launch();
  launch.grid = {2147483647, 65535, 1};
  Expression& trips = launch.programs[0].loops[1].trips;
  trips = {.quotients = {
               {.terms = {{Variable::kCtaX, 1}, {Variable::kWarp, 1}}, .least = 1, .most = 5}}};
  EXPECT_THAT(validate(launch), IsEmpty());
  trips.quotients[0].terms[0].coefficient = -1;
  EXPECT_THAT(validate(launch), IsEmpty());
  // 4 - (1 to 5): the last CTA along x has none.
  trips = {.constant = 4,
           .quotients = {{.coefficient = -1,
                          .terms = {{Variable::kCtaX, 1}, {Variable::kCtaY, 1, 1, 3}},
                          .least = 1,
                          .most = 5}}};
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("loop 1 runs -1 times for some warp")));
  // Rises and falls.
  trips.quotients.push_back({.terms = {{Variable::kCtaX, 1}}});
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("more CTAs and trips than can be checked")));
}

TEST(Validate, RefusesATripCountThatDependsOnALoop) {
  KernelLaunch launch = small_launch();
  launch.programs[0].loops[1].trips.terms[0].variable = Variable::kLoop0;
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("depends on a loop")));
}

TEST(Validate, RefusesBuffersThatOverlapByOneByte) {
  KernelLaunch launch = small_launch();
  launch.buffers[0].bytes = 0x201;
  EXPECT_THAT(validate(launch), ElementsAre("buffers A and D overlap"));
}

TEST(Validate, NamesEveryBufferThatReachesIntoAnother) {
  KernelLaunch launch = small_launch();
  launch.buffers = {{"A", 0x100, 0x1000}, {"B", 0x200, 0x100}, {"C", 0x400, 0x100}};
  EXPECT_THAT(validate(launch), ElementsAre("buffers A and B overlap", "buffers A and C overlap"));
}

TEST(Validate, RefusesAnUnalignedBuffer) {
  KernelLaunch launch = small_launch();
  launch.buffers[1].base_address = 0x380;
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("D does not start at a multiple of 256")));
}

TEST(Validate, RefusesWarpsWithoutAProgram) {
  KernelLaunch launch = small_launch();
  launch.warps_per_cta = 2;
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("has 1 entries for 2 warps")));
  launch.program_of_warp = {0, 1};
  EXPECT_THAT(validate(launch), ElementsAre("program 1 does not exist"));
}

TEST(Validate, TriesOnlyTheCtasOfALargeGridThatCanDiffer) {
  constexpr std::int64_t kMostCtas = 2147483647;
  KernelLaunch launch = small_launch();
  launch.grid = {kMostCtas, 1, 1};
  launch.programs[0].loops[1].trips = {1, {}};
  EXPECT_THAT(validate(launch), IsEmpty());
  launch.programs[0].loops[1].trips = {3, {{Variable::kCtaX, -1, 7, 4}}};
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("runs 0 times for some warp")));
  launch.programs[0].loops[1].trips = {
      4, {{Variable::kCtaX, 2, 3}, {Variable::kCtaX, -1, 2}, {Variable::kCtaX, -1, 1, 5}}};
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("runs 0 times")));
  launch.programs[0].loops[1].trips = {kMostCtas - 1, {{Variable::kCtaX, -1}}};
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("runs 0 times for some warp")));
  launch.programs[0].loops[1].trips = {1, {{Variable::kCtaX, 1, 46337, 46327}}};
  EXPECT_THAT(validate(launch), ElementsAre(HasSubstr("more CTAs and trips than can be checked")));
}

TEST(Validate, ChecksTripCountsOfAnEmptyGrid) {
  KernelLaunch launch = small_launch();
  launch.grid = {0, 0, 1};
  EXPECT_THAT(validate(launch), ElementsAre("the grid has an empty dimension"));
  launch.programs[0].loops[1].trips = {
      .constant = 1, .quotients = {{.terms = {{Variable::kCtaX, 1}, {Variable::kCtaY, 1}}}}};
  EXPECT_THAT(validate(launch), ElementsAre("the grid has an empty dimension"));
}

TEST(AddressText, HasFourDigitsOrMore) {
  EXPECT_EQ(address_text(0), "0x0000");
  EXPECT_EQ(address_text(19), "0x0130");
  EXPECT_EQ(address_text(0x12345), "0x123450");
}

}  // namespace
}  // namespace tcsim::isa
