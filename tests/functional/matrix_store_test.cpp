#include <gtest/gtest.h>

#include "tests/functional/gemm_values.hpp"
#include "tests/functional/small_launch.hpp"

namespace tcsim::functional::testing {
namespace {

using isa::Opcode;
using isa::Variable;

constexpr int kBytes = 128;  // of a matrix

std::uint8_t content(std::size_t byte) { return static_cast<std::uint8_t>(7 * byte + 1); }

/// What `store` leaves of a matrix of numbers that lanes 0 to 31 have, one pair after the other, of
/// rows of 16 bytes.
std::vector<std::uint8_t> stored(Opcode store) {
  isa::MemoryAccess rows;
  rows.shared.offset.terms = {{Variable::kLane, 16}};
  const isa::KernelLaunch launch =
      small_launch(1, {.instructions = {memory(Opcode::kLdg32, 0), memory(store, 1),
                                        memory(Opcode::kLds32, 0), memory(Opcode::kStg32, 2)},
                       .accesses = {common_row(), rows, common_row(kBytes)}});
  GlobalMemory global(launch);
  for (std::size_t i = 0; i < kBytes; ++i) global.buffer(0)[i] = content(i);
  const auto result = execute(launch, numerics::Generation::kHopper, global);
  EXPECT_TRUE(result.has_value());
  const auto found = global.buffer(0).subspan(kBytes, kBytes);
  return {found.begin(), found.end()};
}

TEST(MatrixStores, PutThePairsOfALaneIntoItsRow) {
  const auto found = stored(Opcode::kStsmX1);
  for (std::size_t i = 0; i < kBytes; ++i) EXPECT_EQ(found[i], content(i)) << i;
}

TEST(MatrixStores, PutThePairsOfALaneIntoItsColumn) {
  const auto found = stored(Opcode::kStsmTX1);
  for (std::size_t row = 0; row < 8; ++row)
    for (std::size_t column = 0; column < 8; ++column)
      for (std::size_t byte = 0; byte < 2; ++byte)
        EXPECT_EQ(found[16 * row + 2 * column + byte], content(16 * column + 2 * row + byte))
            << row << ", " << column;
}

}  // namespace
}  // namespace tcsim::functional::testing
