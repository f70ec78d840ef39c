#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/sm/loop_jump.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::gpu {

/// All counters of a tree in tree order, read and added to together.
class CounterSet {
 public:
  using Values = std::vector<std::uint64_t>;

  /// `root` must outlive the set, and no counters may be added to it.
  explicit CounterSet(const stats::Group& root);

  [[nodiscard]] Values read() const;
  /// The number of warp instructions of all sub-cores in `values`.
  [[nodiscard]] std::uint64_t instructions(const Values& values) const;
  void add(const Values& amounts) const;

  /// Sets what sub-core `sub_core` (counted over all, in tree order) issued in `amounts`: issued
  /// work is known exactly, while other counts are estimated.
  void put(std::size_t sub_core, const sm::IssuedWork& issued, Values& amounts) const;

  /// Sets what all sub-cores issued together, distributed in the proportions of `amounts`.
  void put_total(const sm::IssuedWork& issued, Values& amounts) const;

  /// Adds `bytes` of write-backs of slices and channels to `amounts`; with `only`, replaces its
  /// write-backs by them.
  void put_writebacks(std::uint64_t bytes, bool only, Values& amounts) const;

  /// Makes the cycle counts of every sub-core sum to `cycles`: estimates of the single reasons do
  /// not add up exactly.
  void complete_cycles(Cycle cycles) const;

 private:
  struct SubCore {
    std::vector<std::size_t> cycles;  ///< counters by reason
    std::size_t issued = 0;
    std::size_t instructions = 0;
    std::size_t mmas = 0;
    std::size_t macs = 0;
  };
  void collect(const stats::Group& group);

  std::vector<stats::Counter*> counters_;
  std::vector<SubCore> sub_cores_;
  std::vector<std::size_t> writebacks_;   ///< of L2 slices
  std::vector<std::size_t> dram_writes_;  ///< of channels
};

}  // namespace tcsim::gpu
