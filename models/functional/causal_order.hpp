#pragma once

#include <cstddef>
#include <vector>

namespace tcsim::functional {

/// For every agent, the time up to which something is known. Agents are the warps of a cluster,
/// whose time advances when they release; its mbarriers, whose time is the number of completed
/// phases; and its warpgroups, whose time is the number of groups of products waited for.
struct Clock {
  std::vector<int> seen;
  std::vector<int> fenced;  ///< the part that a proxy fence has made visible to asynchronous reads

  [[nodiscard]] bool has_seen(int agent, int time) const { return at(seen, agent) >= time; }
  [[nodiscard]] bool has_fenced(int agent, int time) const { return at(fenced, agent) >= time; }
  /// Adds what `other` knows.
  void join(const Clock& other);
  /// Keeps what `other` knows too.
  void intersect(const Clock& other);

 private:
  static int at(const std::vector<int>& times, int agent) {
    return static_cast<std::size_t>(agent) < times.size() ? times[static_cast<std::size_t>(agent)]
                                                          : 0;
  }
};

/// Which accesses of a cluster happen before which, by vector clocks. Warps release what they know
/// at arrivals and acquire it at waits.
class CausalOrder {
 public:
  explicit CausalOrder(int warps);

  [[nodiscard]] int warps() const { return static_cast<int>(clocks_.size()); }

  /// Adds the agent of a new mbarrier or warpgroup.
  int add_agent() { return agents_++; }
  [[nodiscard]] const Clock& clock_of(int warp) const {
    return clocks_[static_cast<std::size_t>(warp)];
  }
  /// The time stamp of an access that `warp` makes now.
  [[nodiscard]] int time_of(int warp) const {
    return clocks_[static_cast<std::size_t>(warp)].seen[static_cast<std::size_t>(warp)];
  }
  /// Merges what `warp` knows into `into`.
  void release(int warp, Clock& into);
  void acquire(int warp, const Clock& from) { clocks_[static_cast<std::size_t>(warp)].join(from); }
  /// `warp` now knows of `agent` up to `time`.
  void see(int warp, int agent, int time);
  /// What `warp` knows becomes visible to asynchronous reads.
  void fence(int warp);
  /// The `warps` warps from `first` on have met.
  void meet(int first, int warps);

 private:
  std::vector<Clock> clocks_;  ///< by warp
  int agents_;
};

}  // namespace tcsim::functional
