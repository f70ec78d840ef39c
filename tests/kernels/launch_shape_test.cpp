#include <gmock/gmock.h>

#include <array>
#include <map>

#include "tests/kernels/gemm_case.hpp"
#include "tests/support/targets.hpp"

namespace tcsim::kernels::testing {
namespace {

using isa::Opcode;
using ::testing::IsEmpty;

GemmProblem square(std::int64_t side) { return {.m = side, .n = side, .k = side}; }

/// Instructions that one warp issues, loops unrolled. Requires trip counts that are constants.
std::map<Opcode, std::int64_t> issued_by_warp(const isa::WarpProgram& program) {
  std::map<Opcode, std::int64_t> counts;
  for (int i = 0; i < static_cast<int>(program.instructions.size()); ++i) {
    std::int64_t times = 1;
    for (const isa::Loop& loop : program.loops)
      if (loop.first <= i && i <= loop.last) times *= loop.trips.constant;
    counts[program.instructions[static_cast<std::size_t>(i)].opcode] += times;
  }
  return counts;
}

std::int64_t issued(const isa::KernelLaunch& launch, Opcode opcode) {
  return issued_by_warp(launch.programs[0])[opcode] * launch.warps_per_cta * launch.cta_count();
}

TEST(Launch, OfGemm4096OnA100HasExactlyTheProductsOfTheMatrix) {
  for (const GemmTile& tile : gemm_tiles(square(4096), a100()))
    EXPECT_EQ(issued(make_gemm(square(4096), tile, a100()), Opcode::kHmma16816F32), 33'554'432)
        << tile.text();
}

TEST(Launch, OfGemm4096OnV100HasFourStepsForEach1024Macs) {
  for (const GemmTile& tile : gemm_tiles(square(4096), v100())) {
    const isa::KernelLaunch launch = make_gemm(square(4096), tile, v100());
    for (const Opcode step : {Opcode::kHmma884F32Step0, Opcode::kHmma884F32Step1,
                              Opcode::kHmma884F32Step2, Opcode::kHmma884F32Step3})
      EXPECT_EQ(issued(launch, step), std::int64_t{4096} * 4096 * 4096 / 1024) << tile.text();
  }
}

TEST(Launch, PadsRaggedEdgesToWholeTiles) {
  const GemmProblem problem{.m = 129, .n = 200, .k = 100};
  const GemmTile tile{.m = 128, .n = 128, .k = 32, .stages = 5, .warps_m = 2, .warps_n = 2};
  const isa::KernelLaunch launch = make_gemm(problem, tile, a100());
  EXPECT_EQ(issued(launch, Opcode::kHmma16816F32), 256 * 256 * 128 / 2048);
}

TEST(Launch, SaysWhichCtasHaveNoTile) {
  const auto ctas_and_idle = [](int tile) {
    const GemmTile square_tile{
        .m = tile, .n = tile, .k = 32, .stages = 3, .warps_m = 2, .warps_n = 2};
    return std::pair(make_gemm(square(1088), square_tile, a100()).cta_count(),
                     idle_ctas(square(1088), square_tile, a100()));
  };
  EXPECT_EQ(ctas_and_idle(64), std::pair(std::int64_t{306}, std::int64_t{306 - 17 * 17}));
  EXPECT_EQ(ctas_and_idle(128), std::pair(std::int64_t{90}, std::int64_t{90 - 9 * 9}));
  EXPECT_EQ(
      idle_ctas(square(1024),
                {.m = 128, .n = 128, .k = 32, .stages = 3, .warps_m = 2, .warps_n = 2}, a100()),
      0);
}

TEST(Launch, IsValidForEveryTileLayoutAndRaggedSize) {
  constexpr std::array kSizes{std::array{4096, 4096, 4096}, std::array{130, 70, 40},
                              std::array{1, 1000, 72}, std::array{77, 33, 65}};
  for (const Target& target : {a100(), v100(), t4()})
    for (const auto& [m, n, k] : kSizes)
      for (const Layout a : {Layout::kNormal, Layout::kTransposed})
        for (const Layout b : {Layout::kNormal, Layout::kTransposed}) {
          const GemmProblem problem{.m = m, .n = n, .k = k, .layout_a = a, .layout_b = b};
          for (const GemmTile& tile : gemm_tiles(problem, target))
            EXPECT_THAT(isa::validate(make_gemm(problem, tile, target)), IsEmpty())
                << GemmCase{target, problem, tile};
        }
}

/// The first instruction of `launch` with an operand that SASS could not encode; empty if there is
/// none.
std::string misaligned_operand(const isa::KernelLaunch& launch) {
  const auto aligned = [](isa::Register first, int count) {
    const int alignment = count >= 3 ? 4 : count;
    return first == isa::kZeroRegister || count <= 1 || first % alignment == 0;
  };
  for (const isa::Instruction& i : launch.programs[0].instructions) {
    const isa::OpcodeInfo& info = isa::opcode_info(i.opcode);
    bool fits = aligned(i.dst, info.dst_registers);
    for (std::size_t s = 0; s < 3; ++s) fits = fits && aligned(i.src[s], info.src_registers[s]);
    if (!fits) return std::string(info.mnemonic);
  }
  return {};
}

TEST(Launch, AlignsRegistersOfWideOperands) {
  for (const Target& target : {a100(), v100(), t4()})
    for (const Element accumulate : {Element::kFp32, Element::kFp16})
      for (const int side : {1000, 1001, 1002, 1004}) {
        GemmProblem problem{.m = side, .n = side, .k = side, .accumulate = accumulate};
        for (const GemmTile& tile : gemm_tiles(problem, target))
          EXPECT_EQ(misaligned_operand(make_gemm(problem, tile, target)), "")
              << GemmCase{target, problem, tile};
      }
}

TEST(Launch, HasTheRegistersOfLibraryKernels) {
  // kernels.md 1.3: our builds; the 64x64 kernel is six above.
  const auto registers = [](GemmTile tile, Layout a = Layout::kNormal) {
    GemmProblem problem = square(4096);
    problem.layout_a = a;
    return make_gemm(problem, tile, a100()).registers_per_thread;
  };
  EXPECT_EQ(registers({128, 128, 32, 5, 2, 2}), 230);
  EXPECT_EQ(registers({256, 128, 32, 3, 4, 2}), 226);
  EXPECT_EQ(registers({128, 256, 64, 3, 2, 4}, Layout::kTransposed), 228);
  EXPECT_EQ(registers({128, 256, 32, 3, 2, 4}, Layout::kTransposed), 220);
  EXPECT_EQ(registers({128, 64, 64, 4, 2, 2}), 158);
  EXPECT_NEAR(registers({64, 64, 64, 5, 2, 2}), 96, 6);
}

TEST(Launch, HasTheSharedMemoryOfItsStages) {
  const auto shared = [](GemmTile tile) {
    return make_gemm(square(4096), tile, a100()).shared_bytes_per_cta;
  };
  EXPECT_EQ(shared({128, 128, 32, 5, 2, 2}), 80 * 1024);
  EXPECT_EQ(shared({256, 128, 32, 3, 4, 2}), 72 * 1024);
  EXPECT_EQ(shared({128, 256, 64, 3, 2, 4}), 144 * 1024);
}

TEST(Launch, WalksTheTilesInStrips) {
  const GemmTile tile{.m = 128, .n = 128, .k = 32, .stages = 5, .warps_m = 2, .warps_n = 2};
  const auto grid = [&](std::int64_t m, std::int64_t n) {
    return make_gemm({.m = m, .n = n, .k = 64}, tile, a100()).grid;
  };
  EXPECT_EQ(grid(1024, 128), (std::array<std::int64_t, 3>{8, 1, 1}));
  EXPECT_EQ(grid(1024, 256), (std::array<std::int64_t, 3>{16, 1, 1}));
  EXPECT_EQ(grid(1024, 512), (std::array<std::int64_t, 3>{32, 1, 1}));
  EXPECT_EQ(grid(1024, 1024), (std::array<std::int64_t, 3>{64, 1, 1}));
}

TEST(Launch, TakesNarrowerStripsWhereWideOnesLeaveManyCtasIdle) {
  const GemmTile tile{.m = 128, .n = 128, .k = 32, .stages = 5, .warps_m = 2, .warps_n = 2};
  const auto grid = [&](std::int64_t tiles_n) {
    return make_gemm({.m = 1024, .n = 128 * tiles_n, .k = 64}, tile, a100()).grid;
  };
  EXPECT_EQ(grid(5), (std::array<std::int64_t, 3>{8, 5, 1})) << "6 of 5 is too many";
  EXPECT_EQ(grid(9), (std::array<std::int64_t, 3>{16, 5, 1}));
  EXPECT_EQ(grid(10), (std::array<std::int64_t, 3>{16, 5, 1}));
  EXPECT_EQ(grid(17), (std::array<std::int64_t, 3>{16, 9, 1}));
  EXPECT_EQ(grid(64), (std::array<std::int64_t, 3>{64, 8, 1}));
  EXPECT_EQ(grid(71), (std::array<std::int64_t, 3>{64, 9, 1})) << "one of 72";
}

TEST(Launch, HasTheCountedPrologueAndEpilogue) {
  GemmProblem problem = square(4096);
  const isa::KernelLaunch launch = make_gemm(problem, {128, 128, 32, 5, 2, 2}, a100());
  const isa::WarpProgram& program = launch.programs[0];
  const auto part = [&](int first, int last) {
    std::map<Opcode, int> counts;
    for (int i = first; i < last; ++i)
      ++counts[program.instructions[static_cast<std::size_t>(i)].opcode];
    return counts;
  };
  // kernels.md 3.
  auto prologue = part(0, program.loops[0].first);
  EXPECT_EQ(prologue[Opcode::kLdgsts128], 32);
  EXPECT_EQ(prologue[Opcode::kLdgdepbar], 4);
  EXPECT_EQ(prologue[Opcode::kCs2r], 64);
  EXPECT_EQ(prologue[Opcode::kLdsmX4], 8);
  EXPECT_NEAR(program.loops[0].first, 480, 5);
  auto epilogue = part(program.loops[0].last + 1, static_cast<int>(program.instructions.size()));
  EXPECT_EQ(epilogue[Opcode::kSts64], 64);
  EXPECT_EQ(epilogue[Opcode::kLds128], 32);
  EXPECT_EQ(epilogue[Opcode::kFmul], 128);
  EXPECT_EQ(epilogue[Opcode::kF2fp], 64);
  EXPECT_EQ(epilogue[Opcode::kStg128], 16);
  EXPECT_EQ(epilogue[Opcode::kBarSync], 16);
}

TEST(Launch, OfAnImpossibleTileIsRefused) {
  EXPECT_THROW(static_cast<void>(make_gemm(square(64), {.m = 96, .n = 64, .k = 32}, a100())),
               std::invalid_argument);
}

TEST(SplitK, MultipliesInSlicesAndThenAdds) {
  const GemmProblem problem{.m = 96, .n = 256, .k = 1024, .batch = 2};
  const GemmTile tile{
      .m = 64, .n = 64, .k = 64, .stages = 5, .warps_m = 2, .warps_n = 2, .split_k = 3};
  const std::vector<isa::KernelLaunch> stream = make_gemm_stream(problem, tile, a100());
  ASSERT_EQ(stream.size(), 2);
  for (const isa::KernelLaunch& launch : stream) EXPECT_THAT(isa::validate(launch), IsEmpty());
  EXPECT_EQ(stream[0].grid[2], 6);
  const isa::Buffer& workspace = stream[0].buffers.back();
  EXPECT_EQ(workspace.name, "workspace");
  EXPECT_EQ(workspace.bytes, 2U * 3 * 96 * 256 * 4);
  EXPECT_EQ(stream[1].buffers.front().base_address, workspace.base_address);
  EXPECT_EQ(stream[1].buffers.front().bytes, workspace.bytes);
  EXPECT_EQ(stream[1].buffers.back().name, "D");
  // 128 threads with four sums each; every partial sum is read once, 16 bytes a thread.
  EXPECT_EQ(stream[1].grid, (std::array<std::int64_t, 3>{96 * 256 / 512, 1, 2}));
  EXPECT_EQ(issued(stream[1], Opcode::kLdg128) * 32 * 16,
            static_cast<std::int64_t>(workspace.bytes));
  EXPECT_EQ(make_gemm_stream(problem, {64, 64, 64, 5, 2, 2}, a100()).size(), 1);
}

TEST(SplitK, LoopsOverTheKTilesOfASlice) {
  // 16 k-tiles in 3 slices: 6, 6 and 4 trips.
  const GemmProblem problem{.m = 64, .n = 64, .k = 1024};
  const GemmTile tile{
      .m = 64, .n = 64, .k = 64, .stages = 5, .warps_m = 2, .warps_n = 2, .split_k = 3};
  const isa::KernelLaunch launch = make_gemm(problem, tile, a100());
  const isa::Expression& trips = launch.programs.front().loops.front().trips;
  isa::Bindings bindings{};
  std::vector<std::int64_t> counts;
  for (std::int64_t z = 0; z < 3; ++z) {
    bindings[static_cast<std::size_t>(isa::Variable::kCtaZ)] = z;
    counts.push_back(isa::evaluate(trips, bindings));
  }
  EXPECT_EQ(counts, (std::vector<std::int64_t>{6, 6, 4}));
}

}  // namespace
}  // namespace tcsim::kernels::testing
