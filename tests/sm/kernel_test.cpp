#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <set>

#include "models/sm/kernel.hpp"
#include "models/sm/lane_values.hpp"
#include "tests/support/ampere_params.hpp"
#include "tests/support/program.hpp"

namespace tcsim::sm::test {
namespace {

using namespace tcsim::test;  // NOLINT: the tests' own vocabulary

/// A kernel of one access, with the questions asked of it.
class OneAccess {
 public:
  OneAccess(Opcode opcode, const isa::Address& global)
      : kernel_(launch_of(opcode, global), ampere_sm(), timing_table(ampere_sm())) {}

  std::vector<LineSectors> lines(std::int64_t base, std::uint32_t lanes = ~0U) const {
    std::vector<LineSectors> found;
    const DecodedAccess& access = kernel_.program_of_warp(0).accesses[0];
    kernel_.patterns().global_lines(access, base, access.global.lane, lanes,
                                    isa::Effect::kLoadGlobal, found);
    return found;
  }

  int wavefronts(std::int64_t base, std::uint32_t lanes = ~0U) const {
    std::vector<LineSectors> found;
    const DecodedAccess& access = kernel_.program_of_warp(0).accesses[0];
    return kernel_.patterns().global_lines(access, base, access.global.lane, lanes,
                                           isa::Effect::kLoadGlobal, found);
  }

 private:
  static isa::KernelLaunch launch_of(Opcode opcode, const isa::Address& global) {
    ProgramBuilder program;
    program.global(opcode, global.offset);
    program.op(Opcode::kExit);
    isa::KernelLaunch launch = single_warp(program);
    launch.programs[0].accesses[0].global.swizzle = global.swizzle;
    return launch;
  }

  Kernel kernel_;
};

TEST(Programs, MayHaveMoreAccessesAndGuardsThanSixteenBitsCount) {
  constexpr int kCount = 40'000;
  ProgramBuilder program;
  for (int i = 0; i < kCount; ++i)
    program.global(Opcode::kLdg32, per_lane(4, i)).guard(program.guard(per_lane(1), i % 32 + 1));
  program.op(Opcode::kExit);
  const Kernel kernel(single_warp(program), ampere_sm(), timing_table(ampere_sm()));
  const DecodedInstruction& last = kernel.program_of_warp(0).instructions[kCount - 1];
  EXPECT_EQ(last.access, kCount - 1);
  EXPECT_GE(last.guard, 31);
}

TEST(GlobalWavefronts, AreThoseOfSharedMemoryBanks) {
  // Cycles per warp load on A100 (RRZE): as many as lanes that share a bank, where lines do not
  // bind.
  const auto of = [](Opcode opcode, int lane_bytes) {
    return OneAccess(opcode, {.offset = per_lane(lane_bytes)}).wavefronts(0);
  };
  EXPECT_EQ(of(Opcode::kLdg32, 0), 1);
  EXPECT_EQ(of(Opcode::kLdg32, 4), 1);
  EXPECT_EQ(of(Opcode::kLdg32, 8), 2);
  EXPECT_EQ(of(Opcode::kLdg32, 12), 1);
  EXPECT_EQ(of(Opcode::kLdg32, 64), 16);
  EXPECT_EQ(of(Opcode::kLdg64, 8), 2);
  EXPECT_EQ(of(Opcode::kLdg64, 64), 16);
  EXPECT_EQ(of(Opcode::kLdg128, 16), 4);
}

TEST(GlobalLines, AreTheTouchedSectorsOfEachLine) {
  const OneAccess access(Opcode::kLdg32, {per_lane(4), {}});
  const auto aligned = access.lines(256);
  ASSERT_EQ(aligned.size(), 1u);
  EXPECT_EQ(aligned[0].line, kBuffer + 256);
  EXPECT_EQ(aligned[0].sectors, 0b1111);
  EXPECT_EQ(aligned[0].partial, 0);
  EXPECT_EQ(aligned[0].bytes, 128);
  const auto shifted = access.lines(256 + 48);
  ASSERT_EQ(shifted.size(), 2u);
  EXPECT_EQ(shifted[0].sectors, 0b1110);
  EXPECT_EQ(shifted[0].partial, 0b0010);  // bytes 48 to 64 of sector 1
  EXPECT_EQ(shifted[0].bytes, 80);
  EXPECT_EQ(shifted[1].line, kBuffer + 384);
  EXPECT_EQ(shifted[1].sectors, 0b0011);
  EXPECT_EQ(shifted[1].partial, 0b0010);
  EXPECT_EQ(shifted[1].bytes, 48);
}

TEST(GlobalLines, ArePartialWhereLanesShareTheirBytes) {
  const auto partial = [](int bytes, std::uint32_t lanes_per_word) {
    const OneAccess access(Opcode::kStg32,
                           {{0, {{Variable::kLane, bytes, lanes_per_word, 0}}}, {}});
    const auto lines = access.lines(256);
    return lines.empty() ? 0 : lines[0].partial;
  };
  EXPECT_EQ(partial(4, 32), 0b0001);  // all lanes write one word
  EXPECT_EQ(partial(8, 8), 0b0001);   // every other word of the sector
  EXPECT_EQ(partial(4, 4), 0);        // all eight words, each by four lanes
  EXPECT_EQ(partial(2, 2), 0b0010);   // words that overlap, up to byte 34
}

TEST(GlobalLines, ReachBelowTheBaseWhereLanesCountDown) {
  const OneAccess access(Opcode::kLdg32, {per_lane(-4), {}});
  const auto lines = access.lines(256);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].line, kBuffer + 128);
  EXPECT_EQ(lines[1].line, kBuffer + 256);
  EXPECT_EQ(lines[1].sectors, 0b0001);
}

TEST(GlobalWavefronts, KnowLanesThatAreFarBelowTheFirst) {
  // As in a gather from allocations that are terabytes apart; one word of each bank.
  constexpr std::int64_t kApart = (std::int64_t{1} << 41) + 4;
  const OneAccess access(Opcode::kLdg32, {per_lane(-kApart), {}});
  EXPECT_EQ(access.wavefronts(256), 1);
  const OneAccess conflicts(Opcode::kLdg32, {per_lane(4 - kApart), {}});
  EXPECT_EQ(conflicts.wavefronts(256), 32);
}

TEST(GlobalLines, AgreeWithACountPerLane) {
  std::mt19937 random(7);
  const auto pick = [&random](int below) {
    return static_cast<int>(random() % static_cast<unsigned>(below));
  };
  for (int trial = 0; trial < 300; ++trial) {
    const Opcode opcode =
        std::array{Opcode::kLdg16, Opcode::kLdg32, Opcode::kLdg64, Opcode::kLdg128}[pick(4)];
    const int bytes = isa::opcode_info(opcode).bytes_per_lane;
    const auto divisor = static_cast<std::uint32_t>(1 << pick(4));
    const isa::Address address{
        {0,
         {{Variable::kLane, bytes * (1 + pick(40)), divisor, 0},
          {Variable::kLane, bytes, 1, divisor}}},
        {static_cast<std::uint8_t>(pick(4)), 4, static_cast<std::uint8_t>(3 + pick(3))}};
    const OneAccess access(opcode, address);
    for (int repeat = 0; repeat < 3;
         ++repeat) {  // the second time from the cache of patterns, other bases besides
      const std::int64_t base = 16 * pick(4096);
      const std::uint32_t lanes = repeat == 2 ? static_cast<std::uint32_t>(random()) : ~0U;
      std::map<std::uint64_t, std::set<std::uint64_t>> sectors;
      for (std::int64_t lane = 0; lane < 32; ++lane) {
        if ((lanes >> lane & 1) == 0) continue;
        isa::Bindings bindings{};
        bindings[static_cast<std::size_t>(Variable::kLane)] = lane;
        const auto first = static_cast<std::uint64_t>(
            address.swizzle.apply(base + evaluate(address.offset, bindings)));
        for (std::uint64_t byte = first; byte < first + static_cast<std::uint64_t>(bytes); ++byte)
          sectors[byte / 32].insert(byte);
      }
      std::map<std::uint64_t, int> found;
      for (const LineSectors& line : access.lines(base, lanes))
        for (std::uint64_t sector = 0; sector < 4; ++sector)
          if ((line.sectors >> sector & 1) != 0)
            found[(line.line - kBuffer) / 32 + sector] = (line.partial >> sector & 1) != 0 ? 1 : 32;
      ASSERT_EQ(found.size(), sectors.size());
      for (const auto& [sector, touched] : sectors) {
        ASSERT_TRUE(found.contains(sector));
        EXPECT_EQ(found[sector], touched.size() >= 32 ? 32 : 1);
      }
    }
  }
}

TEST(ActiveLanes, AreThoseForWhichAllBoundsHold) {
  ProgramBuilder builder;
  builder.op(Opcode::kExit);
  isa::KernelLaunch launch = single_warp(builder);
  // lane + 8 * loop0 < 20 and 31 - lane < 30 (lanes 2 and up).
  launch.programs[0].guards.push_back({{{{0, {{Variable::kLane, 1}, {Variable::kLoop0, 8}}}, 20},
                                        {{31, {{Variable::kLane, -1}}}, 30}}});
  const Kernel kernel(launch, ampere_sm(), timing_table(ampere_sm()));
  const DecodedProgram& program = kernel.program_of_warp(0);
  isa::Bindings bindings{};
  std::vector<std::int64_t> values;
  bind_warp(program, bindings, values);
  EXPECT_EQ(active_lanes(program, isa::kNoIndex, values.data(), bindings), ~0U);
  EXPECT_EQ(active_lanes(program, 0, values.data(), bindings), 0x000FFFFCU);
  bindings[static_cast<std::size_t>(Variable::kLoop0)] = 2;
  EXPECT_EQ(active_lanes(program, 0, values.data(), bindings), 0x0000000CU);
  bindings[static_cast<std::size_t>(Variable::kLoop0)] = 3;
  EXPECT_EQ(active_lanes(program, 0, values.data(), bindings), 0U);
}

TEST(ActiveLanes, FollowQuotientsOfWarpAndLoop) {
  ProgramBuilder builder;
  builder.op(Opcode::kExit);
  isa::KernelLaunch launch = single_warp(builder);
  const isa::Quotient by_warp{
      .terms = {{Variable::kWarp, 32}, {Variable::kLane, 1}}, .divisor = 1, .modulus = 7};
  isa::Quotient by_loop = by_warp;
  by_loop.coefficient = 2;
  by_loop.terms.push_back({Variable::kLoop0, 3});
  const isa::Guard guard{{{{.terms = {{Variable::kLoop0, 1}}, .quotients = {by_warp}}, 4},
                          {{.constant = 1, .quotients = {by_loop}}, 8}}};
  launch.programs[0].guards.push_back(guard);
  const Kernel kernel(launch, ampere_sm(), timing_table(ampere_sm()));
  const DecodedProgram& program = kernel.program_of_warp(0);
  EXPECT_EQ(program.quotients.size(), 2U);
  isa::Bindings bindings{};
  bindings[static_cast<std::size_t>(Variable::kWarp)] = 3;
  std::vector<std::int64_t> values;
  bind_warp(program, bindings, values);
  EXPECT_EQ(values.size(), static_cast<std::size_t>(program.fixed_values));
  for (std::int64_t trip = 0; trip < 4; ++trip) {
    bindings[static_cast<std::size_t>(Variable::kLoop0)] = trip;
    std::uint32_t expected = 0;
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      bindings[static_cast<std::size_t>(Variable::kLane)] = lane;
      bool holds = true;
      for (const isa::Bound& bound : guard.bounds)
        holds = holds && evaluate(bound.expression, bindings) < bound.limit;
      if (holds) expected |= std::uint32_t{1} << lane;
    }
    EXPECT_EQ(active_lanes(program, 0, values.data(), bindings), expected);
  }
}

TEST(GlobalLines, FollowQuotientsLaneByLane) {
  ProgramBuilder builder;
  builder.op(Opcode::kExit);
  isa::KernelLaunch launch = single_warp(builder);
  // Lanes of 7 to a row, rows 1024 bytes apart: five lines.
  const isa::Quotient row{.coefficient = 1024, .terms = {{Variable::kLane, 1}}, .divisor = 7};
  isa::WarpProgram& program = launch.programs[0];
  launch.buffers = {{"A", 0x10000, 65536, true}};
  program.accesses.push_back(
      {.buffer = 0, .global = {.offset = {.quotients = {row}}, .swizzle = {}}});
  isa::Instruction load{.opcode = Opcode::kLdg32, .dst = 4, .access = 0};
  program.instructions.insert(program.instructions.begin(), load);
  const Kernel kernel(launch, ampere_sm(), timing_table(ampere_sm()));
  const DecodedProgram& decoded = kernel.program_of_warp(0);
  std::vector<std::int64_t> values;
  bind_warp(decoded, {}, values);
  LaneValues room;
  const DecodedAccess& access = decoded.accesses[0];
  const LaneValues& offsets = lane_values(decoded, access.global, values.data(), {}, room);
  std::vector<LineSectors> lines;
  kernel.patterns().global_lines(access, 256, offsets, kAllLanes, isa::Effect::kLoadGlobal, lines);
  ASSERT_EQ(lines.size(), 5U);
  for (std::uint64_t i = 0; i < 5; ++i) EXPECT_EQ(lines[i].line, 0x10000 + 256 + 1024 * i);
}

TEST(TimingTable, DerivesIntervalsFromLanesAndRates) {
  const isa::TimingTable table = timing_table(ampere_sm());
  const auto row = [&table](Opcode opcode) {
    const isa::OpTiming& timing = table[static_cast<std::size_t>(opcode)];
    return std::pair(timing.issue_interval, timing.latency);
  };
  EXPECT_EQ(row(Opcode::kFfma), std::pair(2, 4));
  EXPECT_EQ(row(Opcode::kIsetp), std::pair(2, 13));
  EXPECT_EQ(row(Opcode::kHmma16816F32), std::pair(8, 25));
  EXPECT_EQ(row(Opcode::kHmma1688F32), std::pair(4, 18));
  EXPECT_EQ(row(Opcode::kLds32), std::pair(1, 23));
  EXPECT_EQ(row(Opcode::kLdg128), std::pair(1, 33));
  EXPECT_EQ(row(Opcode::kBra), std::pair(1, 2));
}

TEST(TimingTable, LacksWhatTheMachineLacks) {
  SmParams params = ampere_sm();
  params.pipes.uniform_latency_cycles = 0;
  params.pipes.fp64_lanes = 0;
  params.tensor.bf16_macs = 0;
  params.tensor.instructions.push_back({Opcode::kHmma16816F32Bf16, 25, 1});
  const isa::TimingTable table = timing_table(params);
  for (const Opcode opcode : {Opcode::kUiadd3, Opcode::kDfma, Opcode::kHmma16816F32Bf16,
                              Opcode::kImma16816S8, Opcode::kHmma884F32Step0})
    EXPECT_FALSE(table[static_cast<std::size_t>(opcode)].supported())
        << isa::opcode_info(opcode).mnemonic;
}

TEST(TimingTable, VoltaStepsTakeTwoAndFourCycles) {
  SmParams params = ampere_sm();
  params.tensor.cores_per_sub_core = 2;
  params.tensor.core = {4, 4, 4};  // two of them (WP-V100)
  params.tensor.least_interval_cycles = 1;
  params.tensor.instructions = {{Opcode::kHmma884F32Step0, 10, 1},
                                {Opcode::kHmma884F16Step0, 12, 1}};
  const isa::TimingTable table = timing_table(params);
  EXPECT_EQ(table[static_cast<std::size_t>(Opcode::kHmma884F32Step0)].issue_interval, 2);
  EXPECT_EQ(table[static_cast<std::size_t>(Opcode::kHmma884F16Step0)].issue_interval, 4);
}

}  // namespace
}  // namespace tcsim::sm::test
