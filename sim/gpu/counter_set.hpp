#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/sm/loop_jump.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::gpu {

/// All counters of a tree in tree order, read and added to together.
class CounterSet {
 public:
  using Values = std::vector<std::uint64_t>;

  /// `root` must outlive the set, and no counters may be added to it. A burst of DRAM has
  /// `burst_bytes`.
  CounterSet(const stats::Group& root, std::uint64_t burst_bytes);

  [[nodiscard]] Values read() const;

  /// The kinds of counters, "sub_core.cycles_issued": one for all groups that differ only in their
  /// index.
  [[nodiscard]] const std::vector<std::string>& kinds() const { return kinds_; }
  /// `each`, which has a number per counter, summed by kind.
  template <typename Number>
  [[nodiscard]] std::vector<double> by_kind(const std::vector<Number>& each) const {
    std::vector<double> sums(kinds_.size());
    for (std::size_t i = 0; i < each.size(); ++i) sums[kind_of_[i]] += static_cast<double>(each[i]);
    return sums;
  }
  /// True for what is known exactly of the parts left out: issued instructions.
  [[nodiscard]] bool is_exact(std::size_t kind) const { return is_exact_[kind]; }
  [[nodiscard]] std::size_t kind_of(std::size_t counter) const { return kind_of_[counter]; }
  /// The counters "cycles_no_warp" of the sub-cores that issued nothing by `each`, which has a
  /// number per counter. While others issue, these have no warp, and count their cycles only when
  /// one comes.
  [[nodiscard]] std::vector<std::size_t> cycles_without_warp(const std::vector<double>& each) const;
  /// The number of warp instructions of all sub-cores in `values`.
  [[nodiscard]] std::uint64_t instructions(const Values& values) const;
  /// The bytes that DRAM has read and written in `values`.
  [[nodiscard]] std::uint64_t dram_bytes(const Values& values) const;
  void add(const Values& amounts) const;

  /// Sets what sub-core `sub_core` (counted over all, in tree order) issued in `amounts`: issued
  /// work is known exactly, while other counts are estimated.
  void put(std::size_t sub_core, const sm::IssuedWork& issued, Values& amounts) const;

  /// Sets what all sub-cores issued together, distributed in the proportions of `amounts`.
  void put_total(const sm::IssuedWork& issued, Values& amounts) const;

  /// Sets what the channels read in `amounts` to `bytes` in all, and what reading causes in
  /// proportion. Without an estimate of it, the channels read equally much.
  void put_reads(double bytes, Values& amounts) const;

  /// Adds `bytes` of write-backs, which may be negative, of slices and channels to `amounts`, whole
  /// bursts; with `only`, replaces its write-backs by them. The bytes that a channel writes are
  /// those of its bursts.
  void put_writebacks(std::int64_t bytes, bool only, Values& amounts) const;

  /// Makes the cycle counts of every sub-core sum to `cycles`: estimates of the single reasons do
  /// not add up exactly. The largest waits make up for that, and cycles with an issue, which are
  /// known, only where a sub-core issued more instructions than `cycles`.
  void complete_cycles(Cycle cycles) const;

 private:
  struct SubCore {
    std::vector<std::size_t> cycles;  ///< counters by reason
    std::size_t issued = 0;
    std::size_t no_warp = 0;
    std::size_t instructions = 0;
    std::size_t mmas = 0;
    std::size_t macs = 0;
  };
  void collect(const stats::Group& group, std::map<std::string, std::size_t>& numbers);

  std::vector<stats::Counter*> counters_;
  std::vector<std::size_t> kind_of_;  ///< by counter
  std::vector<std::string> kinds_;
  std::vector<bool> is_exact_;  ///< by kind
  std::vector<SubCore> sub_cores_;
  std::uint64_t burst_bytes_;
  std::vector<std::size_t> writebacks_;    ///< of L2 slices
  std::vector<std::size_t> dram_reads_;    ///< bytes of channels
  std::vector<std::size_t> read_bursts_;   ///< of the same channels
  std::vector<std::size_t> of_reads_;      ///< what channels do in order to read
  std::vector<std::size_t> dram_writes_;   ///< likewise
  std::vector<std::size_t> write_bursts_;  ///< of the same channels
};

}  // namespace tcsim::gpu
