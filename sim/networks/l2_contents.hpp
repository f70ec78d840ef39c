#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/launch.hpp"
#include "models/memory/cached_line.hpp"
#include "models/memory/params.hpp"
#include "workloads/networks/placement.hpp"
#include "workloads/networks/program.hpp"

namespace tcsim::networks {

/// What the L2 holds between the steps of a network, as lines of blocks of memory. Kernels have
/// their own addresses, so every step sees the lines at the addresses of its buffers; lines of
/// blocks that it does not use are placed after its buffers, in order of age. Two steps with the
/// same kernels and the same `before` therefore take the same time and leave the same lines.
class L2Contents {
 public:
  /// The lines of the latest `before`, counted.
  struct Shape {
    /// For each buffer of the step, what the L2 holds of it; then for each, what is dirty; then
    /// what is dirty of all other buffers.
    std::vector<std::int64_t> bytes;
    /// Held of each buffer of the step, then dirty lines of all.
    std::vector<int> eighths;
  };

  /// `placement` outlives the object.
  L2Contents(const Placement& placement, const memory::L2Params& l2);

  /// The lines as the step's kernels find them, the least recently used first; until the next call.
  const std::vector<memory::CachedLine>& before(const Step& step,
                                                const std::vector<isa::KernelLaunch>& launches);
  [[nodiscard]] Shape shape_of(const std::vector<memory::CachedLine>& lines) const;
  /// True if the line is of a buffer of the latest step.
  [[nodiscard]] bool is_own(const memory::CachedLine& line) const {
    return line.address < own_end_;
  }
  /// Takes over what the step of the latest `before` left.
  void after(const std::vector<memory::CachedLine>& lines);

 private:
  /// Addresses that are bytes of a block.
  struct Range {
    std::uint64_t address = 0;
    std::int64_t bytes = 0;
    int block = 0;
    std::int64_t offset = 0;  ///< of the first byte in the block
  };
  struct BlockLine {
    int block = 0;
    std::int64_t offset = 0;
    memory::CachedLine line;
  };

  static bool holds(const Range& range, const BlockLine& line) {
    return range.block == line.block && line.offset >= range.offset &&
           line.offset < range.offset + range.bytes;
  }
  void map_buffers(const Step& step, const std::vector<isa::KernelLaunch>& launches);
  void add_foreign_block(int block);
  /// The first range that has the line: one of the step's buffers before others.
  [[nodiscard]] const Range* range_of(const BlockLine& line) const;
  void drop_doubles();

  const Placement& placement_;
  std::uint64_t line_bytes_;
  std::int64_t sector_bytes_;
  std::vector<std::int64_t> block_bytes_;  ///< those of the placement, then workspaces of steps
  std::vector<Range> ranges_;              ///< of the current step
  bool has_aliases_ = false;               ///< two of them are the same bytes
  std::uint64_t end_ = 0;                  ///< of all ranges
  std::uint64_t own_end_ = 0;              ///< of those that are the step's buffers
  std::size_t own_ranges_ = 0;             ///< number of the first ranges, until `after`
  std::vector<BlockLine> lines_;
  std::vector<memory::CachedLine> found_;  ///< by the current step
};

}  // namespace tcsim::networks
