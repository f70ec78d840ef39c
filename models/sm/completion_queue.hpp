#pragma once

#include <algorithm>
#include <cstdint>
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
    if (!token) return;
    queue_.push_back({at, order_++, token, reason});
    std::ranges::push_heap(queue_, Later());
  }

  /// The `order` of the next token that is pushed; those pushed before have a smaller one.
  std::uint64_t next_order() const { return order_; }

  bool is_empty() const { return queue_.empty(); }
  /// When the first completion is due; kNever if there is none.
  Cycle next() const { return queue_.empty() ? kNever : queue_.front().at; }
  /// Removes the first completion. Requires that there is one.
  Completion pop() {
    std::ranges::pop_heap(queue_, Later());
    const Completion first = queue_.back();
    queue_.pop_back();
    return first;
  }
  /// True if a token on its way is not of a dependence counter.
  bool has_more_than_results() const {
    using Kind = CompletionToken::Kind;
    return std::ranges::any_of(queue_, [](const Completion& completion) {
      return completion.token.kind != Kind::kResult && completion.token.kind != Kind::kSourcesRead;
    });
  }

 private:
  struct Later {
    bool operator()(const Completion& a, const Completion& b) const {
      return a.at != b.at ? a.at > b.at : a.order > b.order;
    }
  };

  std::vector<Completion> queue_;  ///< a heap, the first completion in front
  std::uint64_t order_ = 0;
};

}  // namespace tcsim::sm
