#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/numerics/execute.hpp"

namespace tcsim::mma {

/// One recorded instruction, with lane-major register images as MmaExecutor takes them.
struct TileRecord {
  std::string ptx_name;
  numerics::MmaInstruction instruction;
  numerics::TensorArithmetic core = numerics::Generation::kHopper;
  std::vector<std::uint32_t> a;
  std::vector<std::uint32_t> b;
  std::vector<std::uint32_t> b_matrix;  ///< wgmma: K x N patterns.
  std::vector<std::uint32_t> c;
  std::vector<std::uint32_t> d;
  std::vector<std::uint32_t> metadata;
  int selector = 0;
};

/// Reads one JSON object: `instr` (full PTX name), `numerics` (V100, T4, A100, H100 or a
/// generation; if absent, the newest that has the instruction), `A`, `B`, `C`, `D` with one string
/// for each lane, 8 hexadecimal digits per register, register 0 first. wgmma has `B_kxn`, K strings
/// of N elements, instead of B. Sparse instructions add `selector` (default 0) and `E`, one
/// register for each lane. Other keys are ignored; so is `numerics` if `core` gives the arithmetic.
/// Throws UsageError or NotCovered with file, line and column.
TileRecord parse_tile(const std::string& line, const std::string& file, int line_number,
                      const std::optional<numerics::TensorArithmetic>& core = {});

}  // namespace tcsim::mma
