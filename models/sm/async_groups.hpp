#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "models/sm/completion_token.hpp"

namespace tcsim::sm {

/// The groups of one warp's asynchronous operations: copies into shared memory (LDGSTS, cp.async)
/// or products of its warpgroup. Operations join the open group. LDGDEPBAR or the last product
/// closes it and opens the next one. DEPBAR or WARPGROUP.DEPBAR waits until few enough closed
/// groups are incomplete. A group is complete when neither it nor any group before it has an
/// operation in flight. An arrival of copies at an mbarrier (ARRIVES.LDGSTSBAR) also closes the
/// group; this is our choice: a program that counts groups for DEPBAR must count those groups as
/// well.
class AsyncGroups {
 public:
  /// The most groups, including the open one, that may be incomplete.
  static constexpr int kMost = 64;

  /// An operation joins the open group. Pass the returned number to `done` when the operation ends.
  std::uint16_t add() {
    const auto index = static_cast<std::uint16_t>(open_ % kMost);
    ++under_way_[index];
    return index;
  }
  void done(std::uint16_t index) {
    --under_way_[index];
    pass_complete();
  }

  /// False if one more group would exceed the limit.
  bool has_room() const { return incomplete() + 2 <= kMost; }
  /// Closes the open group, which may be empty. Requires has_room().
  void close() {
    ++open_;
    pass_complete();
  }

  /// True if all closed groups are complete. Otherwise `token` waits for that and later comes out
  /// of take_complete().
  bool tell_when_complete(CompletionToken token) {
    if (incomplete() == 0) return true;
    waiting_.push_back({open_, token});
    return false;
  }
  /// A token whose groups are complete; an empty one if there is none.
  CompletionToken take_complete() {
    if (waiting_.empty() || oldest_ < waiting_.front().groups) return {};
    const CompletionToken token = waiting_.front().token;
    waiting_.erase(waiting_.begin());
    return token;
  }

  /// Closed groups that are not complete.
  int incomplete() const { return open_ - oldest_; }
  /// True if any operation has not ended, even one whose group was never closed.
  bool has_any_under_way() const {
    return std::ranges::any_of(under_way_, [](std::uint32_t count) { return count != 0; });
  }

 private:
  struct Waiting {
    std::int32_t groups;  ///< waits for all groups before this number
    CompletionToken token;
  };

  void pass_complete() {
    while (oldest_ < open_ && under_way_[static_cast<std::size_t>(oldest_ % kMost)] == 0) ++oldest_;
  }

  std::int32_t open_ = 0;                         ///< the open group's number
  std::int32_t oldest_ = 0;                       ///< all groups before it are complete
  std::array<std::uint32_t, kMost> under_way_{};  ///< by group number modulo kMost
  std::vector<Waiting> waiting_;                  ///< by `groups`, few
};

}  // namespace tcsim::sm
