#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/sm/completion_token.hpp"
#include "models/sm/cycle_reason.hpp"

namespace tcsim::sm {

/// Something that a unit has finished at `at`.
struct Completion {
  Cycle at = 0;
  std::uint64_t order = 0;  ///< in which they were pushed; decides within a cycle
  CompletionToken token;
  CycleReason reason = CycleReason::kDependenceGlobal;  ///< what a waiting warp has waited for
};

/// Tokens on their way from the units of an SM to the warps and CTAs that wait, ordered by time;
/// tokens of one cycle in the order in which they were pushed.
class CompletionQueue {
 public:
  /// Delivers `token` at `at`; empty tokens are dropped.
  void push(Cycle at, CompletionToken token, CycleReason reason) {
    if (token) queue_.push({at, order_++, token, reason});
  }

  /// The `order` of the next token that is pushed; those pushed before have a smaller one.
  std::uint64_t next_order() const { return order_; }

  bool is_empty() const { return queue_.empty(); }
  /// When the first completion is due; kNever if there is none.
  Cycle next() const { return queue_.empty() ? kNever : queue_.top().at; }
  /// Removes the first completion. Requires that there is one.
  Completion pop() {
    const Completion first = queue_.top();
    queue_.pop();
    return first;
  }

 private:
  struct Later {
    bool operator()(const Completion& a, const Completion& b) const {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };

  std::priority_queue<Completion, std::vector<Completion>, Later> queue_;
  std::uint64_t order_ = 0;
};

}  // namespace tcsim::sm
