#include <gtest/gtest.h>

#include "tests/sm/sm_bench.hpp"

namespace tcsim::sm::test {
namespace {

struct SharedResult {
  Cycle latency;  ///< issue to the first cycle in which a dependent may issue
  std::uint64_t wavefronts;
  std::uint64_t conflicts;
  std::uint64_t busy_cycles;  ///< of the data path
};

SharedResult load(Opcode opcode, const Expression& offset, isa::Swizzle swizzle = {},
                  int lanes = 32, const SmParams& params = ampere_sm()) {
  ProgramBuilder program;
  const int guard = program.guard(per_lane(1), lanes);
  program.shared(opcode, offset, swizzle).dst(4).src(2).writes(0).guard(guard);
  program.op(Opcode::kExit).waits(0);
  SmBench bench(single_warp(program), params);
  bench.start_cta(0);
  const Cycle latency = bench.finish();
  return {latency, bench.counter("memory_pipeline.shared_wavefronts"),
          bench.counter("memory_pipeline.shared_conflict_wavefronts"),
          bench.counter("memory_pipeline.shared_busy_cycles")};
}

/// Lanes of one bank: lane / ways chooses the bank, lane % ways a different word in it.
Expression conflict(int ways) {
  const auto count = static_cast<std::uint32_t>(ways);
  return {0, {{Variable::kLane, 4, count, 0}, {Variable::kLane, 128, 1, count}}};
}

TEST(SharedMemory, ConflictFreeLoadTakesTheLoadLatency) {
  EXPECT_EQ(load(Opcode::kLds32, per_lane(4)).latency, 23);
}

TEST(SharedMemory, ConflictLadderFollowsTheMeasurement) {
  // A100: 23, 25, 29, 37 cycles for 1, 2, 4, 8 ways (SUN22).
  EXPECT_EQ(load(Opcode::kLds32, conflict(1)).latency, 23);
  EXPECT_EQ(load(Opcode::kLds32, conflict(2)).latency, 25);
  EXPECT_EQ(load(Opcode::kLds32, conflict(4)).latency, 29);
  EXPECT_EQ(load(Opcode::kLds32, conflict(8)).latency, 37);
}

TEST(SharedMemory, LoadsOfSeveralWidthsMayShareAnAddress) {
  ProgramBuilder program;
  program.shared(Opcode::kLds32, per_lane(8)).dst(4).src(2);
  const isa::Instruction narrow = program.program().instructions.front();
  program.shared(Opcode::kLds64, per_lane(8)).dst(6).src(2);
  program.op(Opcode::kExit);
  isa::KernelLaunch launch = single_warp(program);
  launch.programs[0].instructions[1].access = narrow.access;
  launch.programs[0].accesses.resize(1);
  SmBench bench(launch);
  bench.start_cta(0);
  bench.finish();
  EXPECT_EQ(bench.counter("memory_pipeline.shared_wavefronts"), 4u);
  EXPECT_EQ(bench.counter("memory_pipeline.shared_conflict_wavefronts"), 1u);
}

TEST(SharedMemory, AConflictTakesOneWavefrontPerWay) {
  for (const int ways : {1, 2, 4, 8, 16, 32}) {
    const SharedResult result = load(Opcode::kLds32, conflict(ways));
    EXPECT_EQ(result.wavefronts, static_cast<std::uint64_t>(ways));
    EXPECT_EQ(result.conflicts, static_cast<std::uint64_t>(ways - 1));
  }
}

TEST(SharedMemory, OneBankOfOneByteTakesAWavefrontForEachByte) {
  SmParams params = ampere_sm();
  params.shared_memory.banks = 1;
  params.shared_memory.bank_width_bytes = 1;
  EXPECT_EQ(load(Opcode::kLds128, per_lane(16), {}, 32, params).wavefronts, 512u);
}

TEST(SharedMemory, MovesWhatBanksAndDataPathAllow) {
  struct Case {
    int banks;
    int bank_width_bytes;
    int path_bytes;
  };
  for (const Case& c :
       {Case{32, 4, 128}, Case{32, 4, 64}, Case{32, 8, 128}, Case{32, 8, 256}, Case{16, 4, 64},
        Case{16, 4, 128}, Case{32, 2, 128}, Case{64, 4, 128}, Case{32, 4, 256}}) {
    SmParams params = ampere_sm();
    params.shared_memory.banks = c.banks;
    params.shared_memory.bank_width_bytes = c.bank_width_bytes;
    params.l1.bytes_per_cycle = c.path_bytes;
    const int rate = std::min(c.banks * c.bank_width_bytes, c.path_bytes);  // as in the peak
    EXPECT_EQ(load(Opcode::kLds128, per_lane(16), {}, 32, params).busy_cycles, 512u / rate)
        << c.banks << " banks of " << c.bank_width_bytes << " bytes, " << c.path_bytes
        << " bytes a cycle";
  }
}

TEST(SharedMemory, WideBanksSlowNoAccessDown) {
  for (const int width : {4, 8, 16, 64}) {
    SmParams params = ampere_sm();
    params.shared_memory.bank_width_bytes = width;
    const auto busy = [&params](Opcode opcode, const Expression& offset) {
      return load(opcode, offset, {}, 32, params).busy_cycles;
    };
    EXPECT_EQ(busy(Opcode::kLds16, per_lane(2)), 1u) << width;
    EXPECT_EQ(busy(Opcode::kLds32, per_lane(4)), 1u) << width;
    EXPECT_EQ(busy(Opcode::kLds64, per_lane(8)), 2u) << width;
    EXPECT_EQ(busy(Opcode::kLds128, per_lane(16)), 4u) << width;
    EXPECT_EQ(busy(Opcode::kLdsmX4, per_lane(16)), 4u) << width;
    EXPECT_EQ(busy(Opcode::kSts32, per_lane(4)), 1u) << width;
  }
}

TEST(SharedMemory, EqualWordsAreBroadcast) {
  const SharedResult one_word = load(Opcode::kLds32, per_lane(0, 12));
  EXPECT_EQ(one_word.latency, 23);
  EXPECT_EQ(one_word.wavefronts, 1u);
  // Two lanes to a word, all of them in different banks.
  const SharedResult pairs = load(Opcode::kLds32, {0, {{Variable::kLane, 4, 2, 0}}});
  EXPECT_EQ(pairs.wavefronts, 1u);
}

TEST(SharedMemory, LanesMayCountDown) {
  EXPECT_EQ(load(Opcode::kLds32, {2048, {{Variable::kLane, -4}}}).wavefronts, 1u);
  EXPECT_EQ(load(Opcode::kLds32, {2048, {{Variable::kLane, -8}}}).wavefronts, 2u);
  // Lanes 8 n to 8 n + 7 read one word, each eight the one below.
  EXPECT_EQ(load(Opcode::kLds32, {1024, {{Variable::kLane, -4, 8}}}).wavefronts, 1u);
  EXPECT_EQ(load(Opcode::kLds32, {4096, {{Variable::kLane, -128}}}).wavefronts, 32u);
}

TEST(SharedMemory, NeighboursThatReadTheSameHalveTheWavefrontsOfWideLoads) {
  // NVIDIA's developer forum, 77228: requests of LDS.128 where lanes n and n ^ 1, or n and n ^ 2,
  // have equal addresses: 2; elsewhere 4.
  const auto wavefronts = [](Opcode opcode, const Expression& offset) {
    return load(opcode, offset).wavefronts;
  };
  const Expression by_pairs{0, {{Variable::kLane, 16, 2, 0}}};
  const Expression by_second_neighbours{0,
                                        {{Variable::kLane, 16, 1, 2}, {Variable::kLane, 32, 4, 0}}};
  const Expression modulo_four{0, {{Variable::kLane, 16, 1, 4}}};
  EXPECT_EQ(wavefronts(Opcode::kLds128, per_lane(16)), 4u);
  EXPECT_EQ(wavefronts(Opcode::kLds128, modulo_four), 4u);
  EXPECT_EQ(wavefronts(Opcode::kLds128, by_pairs), 2u);
  EXPECT_EQ(wavefronts(Opcode::kLds128, by_second_neighbours), 2u);
  EXPECT_EQ(wavefronts(Opcode::kLds128, per_lane(0)), 2u);
  EXPECT_EQ(wavefronts(Opcode::kLds64, per_lane(8)), 2u);
  EXPECT_EQ(wavefronts(Opcode::kLds64, {0, {{Variable::kLane, 8, 2, 0}}}), 1u);
}

TEST(SharedMemory, HalfWordsOfOneWordShareIt) {
  EXPECT_EQ(load(Opcode::kLds16, per_lane(2)).wavefronts, 1u);
  EXPECT_EQ(load(Opcode::kLds16, per_lane(2)).latency, 23);
}

TEST(SharedMemory, MatrixLoadsFollowTheMeasurement) {
  // A100: 23.1, 25.1, 29.3 cycles for LDSM x1, x2, x4 (SUN22). Rows of 16 bytes follow each other.
  EXPECT_EQ(load(Opcode::kLdsmX1, per_lane(16)).latency, 23);
  EXPECT_EQ(load(Opcode::kLdsmX2, per_lane(16)).latency, 25);
  EXPECT_EQ(load(Opcode::kLdsmX4, per_lane(16)).latency, 29);
  EXPECT_EQ(load(Opcode::kLdsmTX4, per_lane(16)).latency, 29);
}

TEST(SharedMemory, MatrixLoadsTakeOneWavefrontPerMatrix) {
  EXPECT_EQ(load(Opcode::kLdsmX1, per_lane(16)).wavefronts, 1u);
  EXPECT_EQ(load(Opcode::kLdsmX2, per_lane(16)).wavefronts, 2u);
  EXPECT_EQ(load(Opcode::kLdsmX4, per_lane(16)).wavefronts, 4u);
}

TEST(SharedMemory, MatrixStoresTakeOneWavefrontPerMatrixAndWayOfAConflict) {
  EXPECT_EQ(load(Opcode::kStsmX1, per_lane(16)).wavefronts, 1u);
  EXPECT_EQ(load(Opcode::kStsmX2, per_lane(16)).wavefronts, 2u);
  EXPECT_EQ(load(Opcode::kStsmTX4, per_lane(16)).wavefronts, 4u);
  // Rows of 128 bytes lie in the same banks, of 32 bytes in those of every fourth.
  EXPECT_EQ(load(Opcode::kStsmX4, per_lane(128)).wavefronts, 32u);
  EXPECT_EQ(load(Opcode::kStsmX4, per_lane(32)).wavefronts, 8u);
  EXPECT_EQ(load(Opcode::kStsmX4, per_lane(32), {.bits = 1, .base = 4, .shift = 3}).wavefronts, 4u);
}

TEST(SharedMemory, WideLoadsAddReturnCycles) {
  EXPECT_EQ(load(Opcode::kLds64, per_lane(8)).latency, 25);
  EXPECT_EQ(load(Opcode::kLds128, per_lane(16)).latency, 29);
}

TEST(SharedMemory, WideLoadsTakeOneWavefrontPer128Bytes) {
  EXPECT_EQ(load(Opcode::kLds64, per_lane(8)).wavefronts, 2u);
  EXPECT_EQ(load(Opcode::kLds64, per_lane(8)).conflicts, 0u);
  EXPECT_EQ(load(Opcode::kLds128, per_lane(16)).wavefronts, 4u);
  EXPECT_EQ(load(Opcode::kLds128, per_lane(16)).conflicts, 0u);
}

TEST(SharedMemory, GroupsOfLanesThatAreOffTakeNoWavefront) {
  EXPECT_EQ(load(Opcode::kLds128, per_lane(16), {}, 8).wavefronts, 1u);
  EXPECT_EQ(load(Opcode::kLds128, per_lane(16), {}, 9).wavefronts, 2u);
}

/// Rows of 64 bytes read column-wise by LDSM: lane l names row l % 8 of a column of 16-byte pieces.
TEST(SharedMemory, SwizzleRemovesTheConflictsThatItsAbsenceShows) {
  const Expression rows = per_lane(64);
  const SharedResult plain = load(Opcode::kLdsmX4, rows);
  EXPECT_EQ(plain.wavefronts,
            16u);  // two pieces of 128 bytes per two rows: four ways in each matrix
  EXPECT_EQ(plain.conflicts, 12u);
  // Bits 7 and 8 (row / 2 modulo 4) go into bits 4 and 5 (the piece).
  const SharedResult swizzled = load(Opcode::kLdsmX4, rows, {.bits = 2, .base = 4, .shift = 3});
  EXPECT_EQ(swizzled.wavefronts, 4u);
  EXPECT_EQ(swizzled.conflicts, 0u);
  EXPECT_LT(swizzled.latency, plain.latency);
}

TEST(SharedMemory, PatternsDependOnTheOffsetModuloTheSwizzlesPeriodOnly) {
  const isa::Swizzle swizzle{.bits = 3, .base = 4, .shift = 3};
  for (const int offset : {0, 1024, 4096, 5 * 1024}) {
    EXPECT_EQ(load(Opcode::kLdsmX4, per_lane(128, offset), swizzle).wavefronts, 4u) << offset;
  }
  EXPECT_EQ(load(Opcode::kLdsmX4, per_lane(128)).wavefronts, 32u);
}

/// Counts wavefronts lane by lane, straight from the definition: groups of lanes that move 128
/// bytes together need as many wavefronts as the fullest bank has different words.
std::uint64_t wavefronts_by_definition(int bytes, const std::vector<std::int64_t>& offsets) {
  const int words = bytes / 4;
  const int group = 32 / words;
  std::uint64_t total = 0;
  for (int first = 0; first < 32; first += group) {
    std::array<std::vector<std::int64_t>, 32> banks;
    for (int lane = first; lane < first + group; ++lane)
      for (int word = 0; word < words; ++word) {
        const std::int64_t index = offsets[static_cast<std::size_t>(lane)] / 4 + word;
        auto& bank = banks[static_cast<std::size_t>(index % 32)];
        if (std::find(bank.begin(), bank.end(), index) == bank.end()) bank.push_back(index);
      }
    std::size_t most = 0;
    for (const auto& bank : banks) most = std::max(most, bank.size());
    total += most;
  }
  return total;
}

TEST(SharedMemory, WavefrontsAgreeWithACountPerLane) {
  struct Case {
    Opcode opcode;
    int bytes;
  };
  for (const Case& c :
       {Case{Opcode::kLds32, 4}, Case{Opcode::kLds64, 8}, Case{Opcode::kLds128, 16}}) {
    for (const std::int64_t stride : {1, 2, 3, 4, 5, 8, 12, 16, 20, 33}) {
      for (std::uint8_t bits = 0; bits < 4; ++bits) {
        const isa::Swizzle swizzle{.bits = bits, .base = 4, .shift = 3};
        const Expression offset{stride * c.bytes * 7,
                                {{Variable::kLane, stride * c.bytes}, {Variable::kLane, 16, 8, 2}}};
        std::vector<std::int64_t> offsets;
        for (std::int64_t lane = 0; lane < 32; ++lane)
          offsets.push_back(
              swizzle.apply(offset.constant + stride * c.bytes * lane + 16 * (lane / 8 % 2)));
        EXPECT_EQ(load(c.opcode, offset, swizzle).wavefronts,
                  wavefronts_by_definition(c.bytes, offsets))
            << c.bytes << " bytes, stride " << stride << ", swizzle bits " << int{bits};
      }
    }
  }
}

}  // namespace
}  // namespace tcsim::sm::test
