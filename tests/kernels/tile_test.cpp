#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <set>

#include "tests/support/libraries.hpp"
#include "tests/support/targets.hpp"
#include "workloads/kernels/cost_model.hpp"

namespace tcsim::kernels::testing {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

GemmProblem problem(std::int64_t m, std::int64_t n, std::int64_t k) {
  return {.m = m, .n = n, .k = k};
}

GemmProblem scaled_int8(std::int64_t m, std::int64_t n, std::int64_t k) {
  GemmProblem gemm = problem(m, n, k);
  gemm.input = Element::kInt8;
  gemm.accumulate = Element::kInt32;
  gemm.output = Element::kFp16;
  return gemm;
}

std::string chosen(const GemmProblem& gemm, const Target& target) {
  return choose_tile(gemm, target).text();
}

TEST(Tile, TextNamesEveryPart) {
  EXPECT_EQ((GemmTile{.m = 128, .n = 256, .k = 64, .stages = 3, .warps_m = 2, .warps_n = 4}).text(),
            "128x256x64_s3_w2x4");
  EXPECT_EQ((GemmTile{.m = 64,
                      .n = 64,
                      .k = 64,
                      .stages = 5,
                      .warps_m = 1,
                      .warps_n = 2,
                      .swizzle = false,
                      .sliced_k = 2,
                      .split_k = 4})
                .text(),
            "64x64x64_s5_w1x2_sliced2_splitk4_noswizzle");
}

TEST(LeadingTiles, StartWithTheChosenOneAndAreAllDifferentKernels) {
  for (const Target& target : {a100(), v100(), t4()})
    for (const GemmProblem& gemm : {problem(4096, 4096, 4096), problem(64, 768, 16384)}) {
      const std::vector<GemmTile> tiles = leading_tiles(gemm, target, 5);
      ASSERT_EQ(tiles.size(), 5u);
      EXPECT_EQ(tiles.front().text(), choose_tile(gemm, target).text());
      for (std::size_t i = 1; i < tiles.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j)
          EXPECT_FALSE(tiles[i].m == tiles[j].m && tiles[i].n == tiles[j].n &&
                       tiles[i].sliced_k == tiles[j].sliced_k &&
                       (tiles[i].split_k > 1) == (tiles[j].split_k > 1))
              << tiles[i].text() << " " << tiles[j].text();
        EXPECT_TRUE(tiles[i].split_k > 1 || tiles[i - 1].split_k > 1 ||
                    !is_preferred(tiles[i], tiles[i - 1], gemm, target));
      }
    }
  EXPECT_EQ(leading_tiles(problem(4096, 4096, 4096), a100(), 1).size(), 1u);
  EXPECT_LE(leading_tiles(problem(4096, 4096, 4096), a100(), 100).size(), 18u);
}

TEST(ParseTile, ReadsBackTheTextOfEveryTileOfTheMenu) {
  const GemmProblem gemm = problem(4096, 4096, 4096);
  for (const Target& target : {a100(), v100(), t4()})
    for (const GemmTile& tile : gemm_tiles(gemm, target)) {
      std::string reason;
      const auto parsed = parse_tile(tile.text(), gemm, target, reason);
      ASSERT_TRUE(parsed.has_value()) << reason;
      EXPECT_EQ(parsed->text(), tile.text());
    }
}

TEST(ParseTile, TakesMissingPartsFromTheMenu) {
  const GemmProblem gemm = problem(4096, 4096, 4096);
  std::string reason;
  EXPECT_EQ(parse_tile("128x256x64", gemm, a100(), reason)->text(), "128x256x64_s3_w2x4");
  EXPECT_EQ(parse_tile("128x128x32", gemm, v100(), reason)->text(), "128x128x32_s2_w2x2");
  EXPECT_EQ(parse_tile("64x64x64_s5", gemm, a100(), reason)->text(), "64x64x64_s5_w2x2");
  const auto two_parts = parse_tile("128x256", gemm, a100(), reason);
  ASSERT_TRUE(two_parts.has_value());
  EXPECT_EQ(two_parts->m, 128);
  EXPECT_EQ(two_parts->n, 256);
}

TEST(ParseTile, TakesTilesOfBothMenusForScaledInt8) {
  std::string reason;
  const GemmProblem gemm = scaled_int8(4096, 4096, 4096);
  EXPECT_EQ(parse_tile("32x128", gemm, a100(), reason)->m, 32);
  EXPECT_EQ(parse_tile("128x256x128", gemm, a100(), reason)->text(), "128x256x128_s3_w2x4");
}

TEST(ParseTile, TakesSlicesWithAWholeTileOrAPart) {
  const GemmProblem gemm = problem(64, 64, 4096);
  for (const char* text : {"64x64x64_s5_w1x2_sliced2", "64x64x64_s5_w1x2_sliced2_splitk4",
                           "64x64x64_s5_w2x2_splitk13"}) {
    std::string reason;
    const auto parsed = parse_tile(text, gemm, a100(), reason);
    ASSERT_TRUE(parsed.has_value()) << reason;
    EXPECT_EQ(parsed->text(), text);
  }
  std::string reason;
  const auto part = parse_tile("128x64_splitk3", gemm, a100(), reason);
  ASSERT_TRUE(part.has_value()) << reason;
  EXPECT_EQ(part->m, 128);
  EXPECT_EQ(part->split_k, 3);
}

TEST(ParseTile, AcceptsACompleteTileOffTheMenu) {
  std::string reason;
  EXPECT_TRUE(parse_tile("32x64x32_s4_w1x2", problem(64, 64, 64), a100(), reason).has_value())
      << reason;
}

std::string refusal(const std::string& text, const Target& target,
                    const GemmProblem& gemm = problem(4096, 4096, 4096)) {
  std::string reason;
  EXPECT_FALSE(parse_tile(text, gemm, target, reason).has_value()) << text;
  return reason;
}

TEST(ParseTile, TakesTheNameOfAKernel) {
  std::string reason;
  const auto tile = parse_tile("ampere_fp16_s16816gemm_fp16_256x64_ldg8_f2f_stages_64x3_tn",
                               problem(4096, 4096, 4096), a100(), reason);
  ASSERT_TRUE(tile) << reason;
  EXPECT_EQ(tile->text(), "64x256x64_s3_w1x4");
  EXPECT_THAT(refusal("ampere_sgemm_96x96_tn", a100()), HasSubstr("on the menu"));
}

TEST(ParseTile, SaysWhatIsWrong) {
  for (const char* text :
       {"", "128", "128x", "x128", "128x128x", "128x128x32_5", "128x128x32_s5_w2",
        "128x128x32_s5_w2x2 ", "0x128", "-128x128", "128X128", "9999999999x1",
        "64x64x64_s5_w2x2_splitk1_serial", "128x128x64_s4_w8x1_coop_pingpong"})
    EXPECT_THAT(refusal(text, a100()), HasSubstr("is not of the form")) << text;
  EXPECT_EQ(refusal("128x128x32_s5_w2x2_c2x1", a100()),
            "tile '128x128x32_s5_w2x2_c2x1': clusters, swapped, halfboxes and waited need "
            "warpgroups, with coop or pingpong");
  EXPECT_THAT(refusal("128x32x32_s4_w4x1", a100(), problem(128, 16'777'216, 64)),
              HasSubstr("exceed the 65535 CTAs of a grid's y"));
  EXPECT_THAT(refusal("128x128x48_s3_w2x2", a100()), HasSubstr("powers of two"));
  EXPECT_THAT(refusal("96x128x32_s3_w2x2", v100()), HasSubstr("powers of two"));
  EXPECT_THAT(refusal("96x128x32_s3_w4x2", a100()), HasSubstr("multiples of 16"));
  GemmProblem across_k = problem(4096, 4096, 4096);
  across_k.layout_b = Layout::kNormal;
  EXPECT_THAT(refusal("128x96x32_s3_w2x2", a100(), across_k), HasSubstr("must lie along k"));
  EXPECT_THAT(refusal("64x64x64_s5_w2x2_splitk", a100()), HasSubstr("is not of the form"));
  EXPECT_THAT(refusal("64x64x64_s5_w2x2_splitk65", a100()),
              HasSubstr("k = 4096 has 64 k-tiles: 65 slices of 1 leave the last one empty"));
  EXPECT_THAT(refusal("64x64x64_s5_w2x2_splitk11", a100(), problem(64, 64, std::int64_t{58} * 64)),
              HasSubstr("k = 3712 has 58 k-tiles: 11 slices of 6 leave the last one empty"));
  EXPECT_THAT(refusal("64x64x32_s5_w1x2_sliced2", a100()),
              HasSubstr("a warp group's part of a k-tile must be at least 64 bytes deep"));
  GemmProblem batches = problem(64, 64, 4096);
  batches.batch = 40000;
  EXPECT_THAT(refusal("64x64x64_s5_w2x2_splitk2", a100(), batches), HasSubstr("65535 CTAs"));
  batches.batch = 65'536;
  EXPECT_THAT(refusal("64x64x64_s5_w2x2", a100(), batches), HasSubstr("65535 CTAs"));
  EXPECT_EQ(refusal("96x128", a100()),
            "no tile '96x128' on the menu because of its m: a whole name is needed, such as "
            "96x128x64_s4_w2x2");
  EXPECT_EQ(refusal("128x128x48", a100()),
            "no tile '128x128x48' on the menu because of its k: the depth of k-tiles and warp "
            "counts must be powers of two");
  EXPECT_EQ(refusal("96x96", a100()),
            "no tile '96x96' on the menu; of its tiles the nearest are 128x128, 128x64, 64x128, "
            "64x64, 256x128; 'tcsim library show cublas-ampere' lists all");
  for (const std::string tile : {"64x64_swapped", "64x64_halfboxes", "128x128x64_waited"})
    EXPECT_EQ(refusal(tile, a100()),
              "no tile '" + tile +
                  "' on the menu: clusters, swapped, halfboxes and waited need warpgroups, with "
                  "coop or pingpong");
  EXPECT_THAT(refusal("64x64_coop_waited_c2x1", a100()),
              HasSubstr("its options come in the order _s5 _w2x2 _sliced2 _splitk4"));
  EXPECT_THAT(refusal("256x256x32_s3_w2x2", a100()),
              HasSubstr("registers per thread, allowed 255"));
  EXPECT_THAT(refusal("128x128x64_s6_w2x2", a100()),
              HasSubstr("needs 196608 bytes of shared memory"));
  EXPECT_THAT(refusal("128x128x32_s1_w2x2", a100()), HasSubstr("at least two stages"));
  EXPECT_THAT(refusal("128x128x32_s3_w2x2", v100()), HasSubstr("two stages"));
  EXPECT_THAT(refusal("128x128x16_s3_w2x2", a100()), HasSubstr("at least 64 bytes deep"));
  EXPECT_THAT(refusal("64x64x32_s3_w8x8", a100()), HasSubstr("at most 32 warps"));
  EXPECT_THAT(refusal("64x64x32_s3_w8x2", a100()), HasSubstr("at least 16 on each side"));
  EXPECT_THAT(refusal("64x64x32_s2_w4x2", v100()), HasSubstr("at least 32 on each side"));
  EXPECT_THAT(refusal("128x128x32_s2_w2x2", p100()), HasSubstr("no tensor cores"));
}

TEST(ParseTile, RefusesTheNameOfAnAttention) {
  const std::string name = "fmha_cutlassF_f16_aligned_64x64_rf_sm80";
  EXPECT_EQ(refusal(name, a100()),
            "tile '" + name + "': it is a kernel of attention, whose tile cannot be chosen");
}

TEST(ParseTile, RefusesNumbersThatNoKernelHas) {
  EXPECT_EQ(refusal("1048576x1048576x32_s5_w65536x65536", a100()),
            "tile '1048576x1048576x32_s5_w65536x65536': warps is 65536, at most 32");
  EXPECT_THAT(refusal("128x128x32_s262144_w2x2", a100()),
              HasSubstr("stages is 262144, at most 64"));
  EXPECT_THAT(refusal("128x128x64_s131072_w8x1_coop", a100()), HasSubstr("stages is 131072"));
  EXPECT_THAT(refusal("1x8x512_s1_w65536x65536_gemv", a100()), HasSubstr("warps is 65536"));
  EXPECT_THAT(refusal("1x536870912x256_s1_w1x1_gemv", a100()),
              HasSubstr("n is 536870912, at most 1024"));
  EXPECT_THAT(refusal("64x64x64_s5_w2x2_splitk65536", a100()),
              HasSubstr("slices of k is 65536, at most 65535"));
  EXPECT_THAT(refusal("128x128x64_s4_w8x1_coop_c1x17", a100()),
              HasSubstr("cluster is 17, at most 16"));
}

TEST(Menu, HasTilesOfItsOwnForInt8WithScaledResults) {
  const auto sides = [](const GemmProblem& gemm) {
    std::set<std::array<int, 3>> all;
    for (const GemmTile& tile : gemm_tiles(gemm, a100())) all.insert({tile.m, tile.n, tile.k});
    return all;
  };
  GemmProblem gemm = scaled_int8(4096, 4096, 4096);
  EXPECT_THAT(sides(gemm),
              UnorderedElementsAre(ElementsAre(256, 128, 64), ElementsAre(128, 256, 64),
                                   ElementsAre(128, 128, 64), ElementsAre(64, 128, 64),
                                   ElementsAre(32, 128, 64), ElementsAre(64, 64, 128)));
  gemm.output = Element::kInt32;
  EXPECT_THAT(sides(gemm), Contains(ElementsAre(128, 256, 128)));
  EXPECT_THAT(sides(gemm), Not(Contains(ElementsAre(32, 128, 64))));
}

TEST(Menu, HasTilesWhoseCtasAnSmHolds) {
  const GemmProblem gemm = problem(4096, 4096, 4096);
  Target few_registers = a100();
  few_registers.max_registers_per_thread = 128;
  Target small_ctas = a100();
  small_ctas.max_threads_per_cta = 128;
  for (const Target& target : {few_registers, small_ctas}) {
    ASSERT_THAT(gemm_tiles(gemm, target), Not(IsEmpty()));
    const isa::KernelLaunch launch = make_gemm(gemm, choose_tile(gemm, target), target);
    EXPECT_LE(launch.registers_per_thread, target.max_registers_per_thread);
    EXPECT_LE(launch.warps_per_cta * isa::kLanes, target.max_threads_per_cta);
  }
  EXPECT_THAT(refusal("128x128x32_s5_w2x2", few_registers),
              HasSubstr("registers per thread, allowed 128"));
  EXPECT_THAT(refusal("256x128x32_s3_w4x2", small_ctas),
              HasSubstr("needs 256 threads, a CTA may have 128"));
}

/// The mnemonic of the MMA that kernels for `gemm` have on an A100 with `added` besides.
std::string mma_with(const char* added, const GemmProblem& gemm) {
  Target target = a100();
  target.features.mma.push_back(*isa::parse_opcode(added));
  const isa::KernelLaunch launch = make_gemm(gemm, choose_tile(gemm, target), target);
  for (const isa::Instruction& instruction : launch.programs.front().instructions)
    if (isa::opcode_info(instruction.opcode).mma_input != isa::MmaInput::kNone)
      return std::string(isa::opcode_info(instruction.opcode).mnemonic);
  return "none";
}

TEST(Menu, HasTheLargestMmaThatItsTilesHold) {
  GemmProblem gemm = problem(64, 64, 128);
  EXPECT_EQ(mma_with("MMA.M32N8K16.F32.F16", gemm), "MMA.M32N8K16.F32.F16");
  EXPECT_EQ(mma_with("MMA.M16N8K32.F32.F16", gemm), "MMA.M16N8K32.F32.F16");
  for (const char* deep : {"MMA.M8N8K64.F32.F16", "MMA.M16N8K64.F32.F16", "MMA.M32N8K64.F32.F16"})
    EXPECT_EQ(mma_with(deep, gemm), "HMMA.16816.F32");
  gemm.weights.bits = 4;
  EXPECT_EQ(mma_with("MMA.M16N8K32.F32.F16", gemm), "HMMA.16816.F32");
}

TEST(Menu, IsEmptyWhereTheMachineLacksTheInstruction) {
  EXPECT_THAT(gemm_tiles(problem(64, 64, 64), p100()), IsEmpty());
  GemmProblem bf16 = problem(64, 64, 64);
  bf16.input = Element::kBf16;
  EXPECT_THAT(gemm_tiles(bf16, v100()), IsEmpty());
  EXPECT_THAT(gemm_tiles(bf16, a100()), Not(IsEmpty()));
}

TEST(WhyNoKernel, NamesWhatIsMissing) {
  GemmProblem gemm = problem(64, 64, 64);
  EXPECT_EQ(why_no_kernel(gemm, a100()), "");
  EXPECT_EQ(why_no_kernel(gemm, p100()), "the machine has no tensor cores");
  gemm.input = Element::kBf16;
  EXPECT_EQ(why_no_kernel(gemm, v100()), "Volta tensor cores take FP16 only");
  EXPECT_THAT(why_no_kernel(gemm, t4()), HasSubstr("no tensor-core instruction of turing"));
  gemm.input = Element::kFp16;
  gemm.accumulate = Element::kFp16;
  gemm.output = Element::kFp32;
  EXPECT_THAT(why_no_kernel(gemm, a100()), HasSubstr("accumulates and stores in these formats"));
  gemm.accumulate = Element::kFp32;
  gemm.unit = Unit::kCudaCore;
  EXPECT_EQ(why_no_kernel(gemm, a100()),
            "the CUDA-core kernels multiply FP32, FP64, FP16 with FP16 sums and INT8");
  gemm.unit = Unit::kTensor;
  gemm.input = Element::kInt8;
  gemm.accumulate = gemm.output = Element::kInt32;
  gemm.layout_a = Layout::kTransposed;
  EXPECT_THAT(why_no_kernel(gemm, a100()), HasSubstr("must lie along k"));
  Target without = a100();
  without.features.mma = {isa::Opcode::kHmma16816F32};
  EXPECT_EQ(why_no_kernel(gemm, without),
            "no tensor-core instruction of ampere has these operand and accumulator types");
  Target tiny = a100();
  tiny.shared_bytes_per_cta = 1024;
  EXPECT_EQ(why_no_kernel(problem(64, 64, 64), tiny),
            "no tile of the menu fits into an SM of the machine");
}

TEST(WhyNoKernel, RefusesRowsOfAnOddNumberOfBytes) {
  GemmProblem int8 = problem(64, 64, 63);
  int8.input = Element::kInt8;
  int8.accumulate = int8.output = Element::kInt32;
  EXPECT_EQ(why_no_kernel(int8, a100()), "rows of an odd number of bytes cannot be loaded");
}

TEST(CtasPerSm, FollowRegistersAndSharedMemory) {
  const GemmProblem gemm = problem(4096, 4096, 4096);
  // kernels.md 1.3.
  EXPECT_EQ(ctas_per_sm(gemm, {128, 128, 32, 5, 2, 2}, a100()), 2);
  EXPECT_EQ(ctas_per_sm(gemm, {256, 128, 32, 3, 4, 2}, a100()), 1);
  EXPECT_EQ(ctas_per_sm(gemm, {128, 256, 64, 3, 2, 4}, a100()), 1);
  EXPECT_EQ(ctas_per_sm(gemm, {128, 64, 64, 4, 2, 2}, a100()), 1);
  EXPECT_EQ(ctas_per_sm(gemm, {64, 64, 64, 5, 2, 2}, a100()), 1 + 1);
  EXPECT_EQ(ctas_per_sm(gemm, {128, 128, 32, 2, 2, 2}, v100()), 2);
  EXPECT_EQ(ctas_per_sm(gemm, {256, 128, 32, 2, 4, 2}, v100()), 1);
  EXPECT_EQ(ctas_per_sm(gemm, {128, 128, 32, 2, 2, 2}, t4()), 2);
}

TEST(Chooser, TakesTheLargestTilesForLargeProblems) {
  EXPECT_EQ(chosen(problem(4096, 4096, 4096), a100()), "256x128x64_s3_w4x2");
  const GemmTile wide = choose_tile(problem(2048, 8192, 4096), a100());
  EXPECT_EQ(wide.m * wide.n, 128 * 256);
  const GemmTile volta = choose_tile(problem(4096, 4096, 4096), v100());
  EXPECT_GE(volta.m * volta.n, 128 * 128);
}

TEST(EstimateCycles, ReadBothOperandsFromDramInEveryNumberOfSlices) {
  const GemmProblem gemm = problem(16, 4096, 4096);
  const double bytes = 2.0 * 4096 * (4096 + 16);
  for (GemmTile tile : gemm_tiles(gemm, a100()))
    for (const int slices : {1, 2, 3, 4, 8}) {
      tile.split_k = slices;
      EXPECT_GT(estimate_cycles(gemm, tile, a100()), bytes / a100().dram_bytes_per_cycle)
          << tile.text();
    }
}

TEST(EstimateCycles, CountTheSecondKernel) {
  // Eight k-tiles leave nothing to gain: the slices cost at least the second launch.
  const GemmProblem gemm = problem(1024, 1024, 512);
  GemmTile tile{.m = 64, .n = 64, .k = 64, .stages = 5, .warps_m = 2, .warps_n = 2};
  const double whole = estimate_cycles(gemm, tile, a100());
  tile.split_k = 2;
  EXPECT_GT(estimate_cycles(gemm, tile, a100()), whole + a100().launch_cycles);
}

TEST(Chooser, SplitsALongKThatFewTilesShare) {
  for (const Target& target : {a100(), v100()}) {
    const GemmTile long_k = choose_tile(problem(64, 768, 65536), target);
    EXPECT_GT(long_k.split_k, 3);
    EXPECT_EQ(choose_tile(problem(64, 768, 128), target).split_k, 1);
    EXPECT_EQ(choose_tile(problem(4096, 4096, 65536), target).split_k, 1);
  }
}

TEST(Chooser, CutsTheKOfVoltaInTwoAtMostUpTo4096) {
  for (const std::int64_t k : {1760, 2048, 2560, 4096})
    EXPECT_EQ(choose_tile(problem(k, 16, k), v100()).split_k, 2) << k;
  // 1.2 ms measured, as long as DRAM needs: two slices would keep 32 of 80 SMs busy.
  EXPECT_GT(choose_tile(problem(1024, 8, 500'000), v100()).split_k, 4);
}

TEST(Chooser, DoesNotSplitTheKOfInt8) {
  // 31.7 and 45.1 us measured on A100 for k of 10240 and 16384: one after the other.
  for (const std::int64_t k : {10240, 16384, 65536}) {
    EXPECT_EQ(choose_tile(scaled_int8(64, 512, k), a100()).split_k, 1) << k;
  }
}

TEST(Chooser, TakesTheTileOfScaledInt8ThatIsEstimatedFastest) {
  for (const GemmProblem& gemm : {scaled_int8(128, 12288, 7168), scaled_int8(1024, 3584, 3584),
                                  scaled_int8(8192, 8192, 512)}) {
    const double chosen_cycles = estimate_cycles(gemm, choose_tile(gemm, a100()), a100());
    for (const GemmTile& tile : gemm_tiles(gemm, a100()))
      EXPECT_GE(estimate_cycles(gemm, tile, a100()), chosen_cycles) << tile.text();
  }
}

TEST(Chooser, TakesTheTileOfTheNextPowerOfTwoOfRowsForScaledInt8) {
  for (const std::int64_t m : {48, 80, 96, 192, 384, 768})
    for (const std::int64_t n : {2048, 8192}) {
      const auto power = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(m)));
      EXPECT_EQ(chosen(scaled_int8(m, n, 4096), a100()),
                chosen(scaled_int8(power, n, 4096), a100()))
          << m << " " << n;
    }
  // By its own rows it would take another one.
  EXPECT_NE(chosen(scaled_int8(80, 4096, 4096), a100()).substr(0, 3), "32x");
}

TEST(Chooser, CutsTheKOfNoLargestTileOnAmpere) {
  // Measured on A100: 55.4, 36.6, 55.9 us, one round of 128x128 without slices.
  for (const GemmProblem& gemm :
       {problem(256, 4096, 4096), problem(4096, 256, 2560), problem(1024, 1024, 4096)}) {
    const GemmTile tile = choose_tile(gemm, a100());
    EXPECT_EQ(tile.m * tile.n, 128 * 128);
    EXPECT_EQ(tile.split_k, 1);
  }
}

TEST(Chooser, CutsLongKOfLargestTilesThatFillMostOfTheMachine) {
  // Measured on A100: 221, 187 and 140 us, two waves of a third of k.
  for (const GemmProblem& gemm :
       {problem(512, 4096, 12288), problem(512, 3584, 10240), problem(2048, 1024, 7168)}) {
    const GemmTile tile = choose_tile(gemm, a100());
    EXPECT_EQ(tile.m * tile.n, 256 * 128);
    EXPECT_EQ(tile.split_k, 3);
  }
  // Shorter slices, 97.5 us; 32 tiles, for which smaller ones are cut.
  EXPECT_EQ(choose_tile(problem(512, 4096, 4096), a100()).split_k, 1);
  const GemmTile few = choose_tile(problem(1024, 1024, 16384), a100());
  EXPECT_TRUE(few.split_k == 1 || few.m * few.n <= 128 * 128) << few.text();
}

TEST(Chooser, HasOnlyLongKTilesOfTheLargestTilesOnAmpere) {
  // 30.9, 37.3 and 96 us measured on A100.
  for (const GemmProblem& gemm :
       {problem(4096, 4096, 32), problem(4096, 3072, 128), problem(4096, 3072, 768)}) {
    const GemmTile tile = choose_tile(gemm, a100());
    EXPECT_EQ(tile.m * tile.n, 256 * 128);
    EXPECT_EQ(tile.k, 64);
  }
  // Other machines take what is estimated faster.
  Target hopper = a100();
  hopper.libraries = test::libraries_named("hopper");
  EXPECT_EQ(choose_tile(problem(4096, 3072, 32), hopper).k, 32);
}

TEST(Chooser, PrefersLargestTilesLyingOrStanding) {
  // 18.5 us measured on A100, as 2048x4096x32: 256 tiles each.
  EXPECT_EQ(chosen(problem(80, 65536, 32), a100()), "128x256x64_s3_w2x4");
  EXPECT_EQ(chosen(problem(65536, 80, 32), a100()), "256x128x64_s3_w4x2");
}

TEST(EstimateCycles, StoreAtTheRateOfThePortOfAnSm) {
  const GemmProblem gemm = problem(4096, 4096, 64);
  const GemmTile tile{256, 128, 64, 3, 4, 2};
  Target fast = a100();
  fast.sm_write_bytes_per_cycle *= 2;
  EXPECT_LT(estimate_cycles(gemm, tile, fast), estimate_cycles(gemm, tile, a100()));
}

TEST(Chooser, TakesSmallTilesForSmallProblems) {
  const GemmTile small = choose_tile(problem(64, 4096, 4096), a100());
  EXPECT_EQ(small.m, 64);
  const GemmTile square = choose_tile(problem(512, 512, 256), a100());
  EXPECT_LE(square.m * square.n, 64 * 64);
}

TEST(Chooser, TakesTheTilesThatMeasuredTimesSpeakFor) {
  // 61 us measured on A100 are two rounds of 256x128; 128x128 would need 45.
  EXPECT_EQ(choose_tile(problem(4096, 1024, 1024), a100()).m, 256);
  // 11 us measured: short slices would take 6.
  EXPECT_LE(choose_tile(problem(8, 16, 4096), a100()).split_k, 8);
}

TEST(Chooser, PrefersNoTileOfTheMenuToItsChoice) {
  for (const Target& target : {a100(), v100(), t4()})
    for (const GemmProblem& gemm :
         {problem(1000, 3000, 512), problem(8192, 64, 64), problem(300, 300, 8192)}) {
      const GemmTile best = choose_tile(gemm, target);
      for (const GemmTile& tile : gemm_tiles(gemm, target))
        EXPECT_FALSE(is_preferred(tile, best, gemm, target)) << tile.text();
    }
}

TEST(Chooser, PrefersNoTileOfScaledInt8ToItsChoice) {
  const GemmProblem gemm = scaled_int8(80, 4096, 4096);
  const GemmTile best = choose_tile(gemm, a100());
  for (const GemmTile& tile : gemm_tiles(gemm, a100()))
    EXPECT_FALSE(is_preferred(tile, best, gemm, a100())) << tile.text();
}

TEST(EstimateCycles, IsNeverBelowTheMacRate) {
  const GemmProblem gemm = problem(4096, 4096, 4096);
  for (const Target& target : {a100(), v100(), t4()}) {
    const double ideal = 4096.0 * 4096 * 4096 / (target.macs_per_cycle_per_sm * target.sms);
    for (const GemmTile& tile : gemm_tiles(gemm, target)) {
      EXPECT_GT(estimate_cycles(gemm, tile, target), ideal) << tile.text();
      EXPECT_LT(estimate_cycles(gemm, tile, target), 3 * ideal) << tile.text();
    }
  }
}

TEST(Recipe, FallsBackToTheSmallerMmaThatTheMachineHas) {
  Target smaller = a100();
  std::erase(smaller.features.mma, isa::Opcode::kHmma16816F32);
  const auto multiplies_by = [](const Target& target) {
    const GemmProblem gemm = problem(256, 256, 256);
    const isa::KernelLaunch launch = make_gemm(gemm, choose_tile(gemm, target), target);
    std::set<isa::Opcode> found;
    for (const isa::Instruction& instruction : launch.programs.front().instructions)
      if (isa::opcode_info(instruction.opcode).m > 0) found.insert(instruction.opcode);
    return found;
  };
  EXPECT_THAT(multiplies_by(a100()), testing::ElementsAre(isa::Opcode::kHmma16816F32));
  EXPECT_THAT(multiplies_by(smaller), testing::ElementsAre(isa::Opcode::kHmma1688F32));
}

TEST(Recipe, StagesThroughRegistersWithoutAsynchronousCopies) {
  Target staged = a100();
  staged.features.async_copy = false;
  for (const GemmTile& tile : gemm_tiles(problem(4096, 4096, 4096), staged))
    EXPECT_EQ(tile.stages, 2) << tile.text();
}

}  // namespace
}  // namespace tcsim::kernels::testing
