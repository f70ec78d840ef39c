// Which elements generated GEMM kernels load and store: a walk over their addresses, without
// values.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "tests/kernels/gemm_case.hpp"
#include "tests/support/targets.hpp"

namespace tcsim::kernels::testing {
namespace {

/// How often each byte of each buffer is accessed.
using ByteCounts = std::vector<std::vector<std::uint8_t>>;

ByteCounts no_accesses(const isa::KernelLaunch& launch) {
  ByteCounts counts;
  for (const isa::Buffer& buffer : launch.buffers) counts.emplace_back(buffer.bytes);
  return counts;
}

/// A warp of a kernel whose loops have trip counts and whose accesses do not depend on data.
class WarpWalk {
 public:
  WarpWalk(const isa::KernelLaunch& launch, std::int64_t cta, int warp)
      : program_(launch.programs[static_cast<std::size_t>(
            launch.program_of_warp[static_cast<std::size_t>(warp)])]) {
    const auto [x, y, z] = isa::cta_at(launch, cta);
    at(isa::Variable::kCtaX) = x;
    at(isa::Variable::kCtaY) = y;
    at(isa::Variable::kCtaZ) = z;
    at(isa::Variable::kWarp) = warp;
  }

  /// Throws std::out_of_range at an access outside a buffer.
  void run(ByteCounts& loads, ByteCounts& stores) {
    for (std::size_t pc = 0;;) {
      const isa::Instruction& instruction = program_.instructions[pc++];
      switch (isa::opcode_info(instruction.opcode).effect) {
        case isa::Effect::kLoadGlobal:
        case isa::Effect::kCopyGlobalToShared:
          count(instruction, loads);
          break;
        case isa::Effect::kStoreGlobal:
          count(instruction, stores);
          break;
        case isa::Effect::kBranch: {
          const isa::Loop& loop = program_.loops[static_cast<std::size_t>(instruction.immediate)];
          std::int64_t& counter = bindings_[static_cast<std::size_t>(isa::Variable::kLoop0) +
                                            static_cast<std::size_t>(loop.depth)];
          const bool goes_on = ++counter < isa::evaluate(loop.trips, bindings_);
          if (goes_on) pc = static_cast<std::size_t>(loop.first);
          if (!goes_on) counter = 0;
          break;
        }
        case isa::Effect::kExit:
          if (passes(instruction)) return;
          break;
        default:
          break;
      }
    }
  }

 private:
  std::int64_t& at(isa::Variable variable) { return bindings_[static_cast<std::size_t>(variable)]; }

  [[nodiscard]] bool passes(const isa::Guard& guard) const {
    return std::ranges::all_of(guard.bounds, [this](const isa::Bound& bound) {
      return isa::evaluate(bound.expression, bindings_) < bound.limit;
    });
  }
  [[nodiscard]] bool passes(const isa::Instruction& instruction) const {
    return instruction.guard == isa::kNoIndex ||
           passes(program_.guards[static_cast<std::size_t>(instruction.guard)]);
  }

  void count(const isa::Instruction& instruction, ByteCounts& counts) {
    const isa::MemoryAccess& access =
        program_.accesses[static_cast<std::size_t>(instruction.access)];
    for (int lane = 0; lane < isa::kLanes; ++lane) {
      at(isa::Variable::kLane) = lane;
      if (!passes(instruction) || !passes(access.source)) continue;
      const std::int64_t first =
          access.global.swizzle.apply(isa::evaluate(access.global.offset, bindings_));
      for (int i = 0; i < isa::opcode_info(instruction.opcode).bytes_per_lane; ++i)
        ++counts[static_cast<std::size_t>(access.buffer)].at(static_cast<std::size_t>(first + i));
    }
    at(isa::Variable::kLane) = 0;
  }

  const isa::WarpProgram& program_;
  isa::Bindings bindings_{};
};

/// A (buffer 0) or B as tiles of rows or columns.
class Operand {
 public:
  Operand(const GemmCase& gemm, std::size_t buffer)
      : buffer_(buffer),
        k_(gemm.problem.k),
        across_(buffer == 0 ? gemm.problem.m : gemm.problem.n),
        side_(buffer == 0 ? gemm.tile.m : gemm.tile.n),
        bytes_(static_cast<std::size_t>(element_bytes(gemm.problem.input))),
        is_along_k_(buffer == 0 ? gemm.problem.layout_a == Layout::kNormal
                                : gemm.problem.layout_b == Layout::kTransposed) {}

  [[nodiscard]] std::int64_t tiles() const { return (across_ + side_ - 1) / side_; }
  /// The tile, counted through all batches, of a byte.
  [[nodiscard]] std::int64_t tile_of(std::size_t byte) const {
    const auto element = static_cast<std::int64_t>(byte / bytes_);
    const std::int64_t inside = element % (across_ * k_);
    return element / (across_ * k_) * tiles() +
           (is_along_k_ ? inside / k_ : inside % across_) / side_;
  }
  /// The tile that a CTA loads, all of it once and nothing else; -1: nothing. Anything else is a
  /// failure.
  [[nodiscard]] std::int64_t tile_loaded(const ByteCounts& loads) const {
    const std::vector<std::uint8_t>& counts = loads[buffer_];
    const auto first = std::ranges::find_if(counts, [](int count) { return count > 0; });
    if (first == counts.end()) return -1;
    const std::int64_t tile = tile_of(static_cast<std::size_t>(first - counts.begin()));
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (counts[i] != (tile_of(i) == tile ? 1 : 0)) {
        ADD_FAILURE() << "byte " << i << " of buffer " << buffer_ << " is loaded " << +counts[i]
                      << " times by the CTA of tile " << tile;
        break;
      }
    return tile;
  }

 private:
  std::size_t buffer_;
  std::int64_t k_;
  std::int64_t across_;
  std::int64_t side_;
  std::size_t bytes_;
  bool is_along_k_;
};

/// Expects that each CTA loads a tile of A and one of B, every element once, or nothing, that all
/// tiles are loaded, and that every element of D is stored once.
void expect_each_element_once(const GemmCase& gemm) {
  std::ostringstream name;
  name << gemm;
  SCOPED_TRACE(name.str());
  const isa::KernelLaunch launch = make_gemm(gemm.problem, gemm.tile, gemm.target);
  ASSERT_THAT(isa::validate(launch), ::testing::IsEmpty());
  const std::array operands{Operand(gemm, 0), Operand(gemm, 1)};
  std::array<std::map<std::int64_t, int>, 2> ctas_of_tile;
  ByteCounts stores = no_accesses(launch);
  for (std::int64_t cta = 0; cta < launch.cta_count(); ++cta) {
    ByteCounts loads = no_accesses(launch);
    for (int warp = 0; warp < launch.warps_per_cta; ++warp)
      WarpWalk(launch, cta, warp).run(loads, stores);
    for (std::size_t i = 0; i < operands.size(); ++i)
      if (const std::int64_t tile = operands[i].tile_loaded(loads); tile >= 0)
        ++ctas_of_tile[i][tile];
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    EXPECT_EQ(std::ssize(ctas_of_tile[i]), gemm.problem.batch * operands[i].tiles());
    for (const auto& [tile, ctas] : ctas_of_tile[i])
      EXPECT_EQ(ctas, operands[1 - i].tiles()) << "tile " << tile << " of buffer " << i;
    EXPECT_EQ(std::ranges::count(stores[i], 0), std::ssize(stores[i]));
  }
  EXPECT_EQ(std::ranges::count(stores[2], 1), std::ssize(stores[2]));
}

/// Two CTAs along m and n, the second one ragged, and k-tiles with a ragged end; every side a
/// multiple of `multiple`.
GemmProblem ragged(GemmProblem problem, const GemmTile& tile, int multiple) {
  problem.m = tile.m + multiple;
  problem.n = tile.n + 3 * multiple;
  problem.k = 2 * tile.k + multiple;
  return problem;
}

constexpr GemmProblem kSingle{
    .input = Element::kFp32, .output = Element::kFp32, .unit = Unit::kCudaCore};
constexpr GemmTile kCopying{.m = 64, .n = 64, .k = 32, .stages = 4, .warps_m = 2, .warps_n = 2};
constexpr GemmTile kStaged{.m = 64, .n = 64, .k = 32, .stages = 2, .warps_m = 2, .warps_n = 2};

void expect_every_layout(GemmProblem problem, const Target& target, const GemmTile& tile,
                         int multiple) {
  for (const Layout a : kLayouts)
    for (const Layout b : kLayouts) {
      problem.layout_a = a;
      problem.layout_b = b;
      expect_each_element_once({target, ragged(problem, tile, multiple), tile});
    }
}

TEST(GemmAccesses, AreOneForEachElementInEveryTileOfTheMenus) {
  for (const Target& target : {v100(), t4(), a100(), p100()})
    for (GemmProblem problem : {GemmProblem{}, kSingle}) {
      if (target.architecture == "pascal" && problem.unit == Unit::kTensor) continue;
      problem.m = problem.n = problem.k = 64;
      const std::vector<GemmTile> tiles = gemm_tiles(problem, target);
      EXPECT_FALSE(tiles.empty());
      for (const GemmTile& tile : tiles)
        expect_each_element_once({target, ragged(problem, tile, 8), tile});
    }
}

TEST(GemmAccesses, AreOneForEachElementInEveryLayoutAndAlignment) {
  expect_every_layout({}, a100(), kCopying, 8);
  for (const int multiple : {8, 4, 2, 1}) {
    expect_every_layout({}, a100(), kStaged, multiple);
    expect_every_layout({}, v100(), kStaged, multiple);
  }
  GemmTile tile{.m = 64, .n = 64, .k = 8, .stages = 2, .warps_m = 2, .warps_n = 1};
  for (const int multiple : {4, 2, 1}) expect_every_layout(kSingle, v100(), tile, multiple);
}

TEST(GemmAccesses, AreOneForEachElementOfBatchesAndWithIdleCtas) {
  GemmProblem problem{.m = 72, .n = 448, .k = 48, .batch = 3};  // seven tiles in a strip of eight
  expect_each_element_once({a100(), problem, kCopying});
}

}  // namespace
}  // namespace tcsim::kernels::testing
