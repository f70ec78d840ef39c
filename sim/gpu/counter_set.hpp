#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/sm/loop_jump.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::gpu {

/// All counters of a tree in its order, read and added to at once.
class CounterSet {
 public:
  using Values = std::vector<std::uint64_t>;

  /// `root` must outlive the set and have no counters added.
  explicit CounterSet(const stats::Group& root);

  [[nodiscard]] Values read() const;
  /// Warp instructions of all sub-cores among `values`.
  [[nodiscard]] std::uint64_t instructions(const Values& values) const;
  void add(const Values& amounts) const;

  /// Puts what sub-core `sub_core` (of all, in the order of the tree) issued into `amounts`: it is
  /// known exactly where other counts are estimated.
  void put(std::size_t sub_core, const sm::IssuedWork& issued, Values& amounts) const;

  /// Puts what all sub-cores issued together, in the shares that `amounts` has.
  void put_total(const sm::IssuedWork& issued, Values& amounts) const;

  /// Lets slices and channels have written back `bytes` more than `amounts` says, or, with `only`,
  /// nothing else.
  void put_writebacks(std::uint64_t bytes, bool only, Values& amounts) const;

  /// Lets every sub-core have counted `cycles` cycles: estimates of their kinds do not add up to
  /// them exactly.
  void complete_cycles(Cycle cycles) const;

 private:
  struct SubCore {
    std::vector<std::size_t> cycles;  ///< counters by kind
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
