#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/sm/code_cache.hpp"
#include "models/sm/instruction_fetch.hpp"
#include "models/sm/params.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::sm {

/// Constant memory as an SM sees it (HUE25): a small L0 per sub-core for the operands of
/// fixed-latency instructions, a separate cache for LDC, and after both the SM's L1 for
/// instructions and constants. Every launch has its own constants, so its first reads miss.
class ConstantCache {
 public:
  /// `next` is the instruction cache of the same SM and outlives this object.
  ConstantCache(const ConstantCacheParams& params, const InstructionFetchParams& fetch_params,
                int sm, int sub_cores, InstructionFetch& next, stats::Group& parent);

  /// True where constants are always present; then nothing else may be called.
  bool is_perfect() const { return params_.l0_bytes == 0 || next_.is_perfect(); }

  /// The constants of the running kernel start at line `first_line` of code memory.
  void begin_kernel(std::uint32_t first_line) { first_line_ = first_line; }

  /// The cycle from which `sub_core` can use byte `offset` as an operand: `now` on a hit; kNever if
  /// that is known only after `receive`.
  Cycle operand(int sub_core, std::int64_t offset, Cycle now);
  /// The same for LDC.
  Cycle load(std::int64_t offset, Cycle now);

  /// The line of code memory that holds byte `offset`.
  std::uint32_t code_line(std::int64_t offset) const {
    return line_of(offset) / lines_per_code_line_;
  }
  /// The cycle from which the constants of a line that arrives from L2 at `now` can be used.
  Cycle arrival(Cycle now) const {
    return now + params_.miss_latency_cycles - params_.miss_latency_cycles / 2;
  }

  /// Invalidates line `line` of code memory, which has been rewritten.
  void drop(std::uint32_t line);

  /// Line `line` of code memory has arrived from L2 at `now`.
  void receive(std::uint32_t line, Cycle now);

 private:
  /// The cache line that holds byte `offset`.
  std::uint32_t line_of(std::int64_t offset) const {
    return first_line_ * lines_per_code_line_ +
           static_cast<std::uint32_t>(offset / params_.line_bytes);
  }
  void fetch_piece(std::uint32_t code_line, Cycle now);
  Cycle look_up(CodeCache& cache, stats::Counter& misses, std::int64_t offset, Cycle now);

  const ConstantCacheParams params_;
  const std::uint32_t lines_per_code_line_;
  const std::uint32_t code_lines_per_piece_;
  InstructionFetch& next_;
  stats::Group group_;
  stats::Counter operand_misses_;
  stats::Counter load_misses_;
  std::vector<CodeCache> l0_;  ///< by sub-core
  CodeCache load_cache_;
  std::uint32_t first_line_ = 0;
};

}  // namespace tcsim::sm
