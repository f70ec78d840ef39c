#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace tcsim::memory {

/// Where the CTAs of the running clusters are: a number for each cluster, an SM for each of its
/// ranks. The CTA scheduler changes it between windows; SMs and the memory side read it during a
/// window.
class ClusterTable {
 public:
  static constexpr std::uint16_t kNone = 0xffff;                            ///< no cluster
  static constexpr std::size_t kMostClusters = (std::size_t{1} << 14) - 1;  ///< that run at once

  /// Adds a cluster whose CTA of rank r runs on sms[r] and returns its number, the next free one.
  /// Numbers are assigned cyclically, so that messages to an ended cluster do not reach another
  /// one. Requires fewer than kMostClusters running clusters.
  std::uint16_t add(std::vector<std::uint16_t> sms) {
    const auto is_taken = [this] { return next_ < clusters_.size() && !clusters_[next_].empty(); };
    while (is_taken()) next_ = (next_ + 1) % kNumbers;
    const std::size_t number = std::exchange(next_, (next_ + 1) % kNumbers);
    if (number == clusters_.size()) clusters_.emplace_back();
    clusters_[number] = std::move(sms);
    return static_cast<std::uint16_t>(number);
  }
  /// All CTAs of the cluster have ended.
  void remove(std::uint16_t cluster) { clusters_[cluster].clear(); }

  [[nodiscard]] int size(std::uint16_t cluster) const {
    return static_cast<int>(clusters_[cluster].size());
  }
  [[nodiscard]] std::uint16_t sm(std::uint16_t cluster, int rank) const {
    return clusters_[cluster][static_cast<std::size_t>(rank)];
  }

 private:
  static constexpr std::size_t kNumbers = kMostClusters + 1;

  std::size_t next_ = 0;
  std::vector<std::vector<std::uint16_t>> clusters_;
};

}  // namespace tcsim::memory
