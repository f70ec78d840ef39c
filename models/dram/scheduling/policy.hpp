#pragma once

#include <concepts>
#include <string_view>

#include "models/dram/params.hpp"
#include "models/dram/request_lists.hpp"

namespace tcsim::dram {

/// The order in which the requests of one channel are served. A policy answers two questions: which
/// request of a bank and direction is next, and, by Request::rank, which of several banks goes
/// first. It does not decide which direction has the turn (Turn), nor which commands are needed and
/// when they are allowed (Channel).
template <typename Policy>
concept Scheduling = std::constructible_from<Policy, const DramParams&> &&
    requires(Policy policy, Request& request, const RequestLists& waiting, RequestLists& ranked,
             Direction direction, int dram_bank) {
  /// The name of the policy in machine files, for dram.scheduling.
  { Policy::kName } -> std::convertible_to<std::string_view>;
  /// `request` is about to join its list: sets its rank.
  policy.arrived(request);
  /// The next request of a non-empty list: a READ or WRITE issues for it if its row is open,
  /// otherwise a row command. Asked again whenever the list or the open row has changed.
  { policy.next(waiting, direction, dram_bank) } -> std::same_as<Slot>;
  /// `request` has been served and has left its list.
  policy.served(request);
  /// Called in each clock in which the waiting requests changed, after all its arrivals have joined
  /// and its commands have issued. Returns true if it has changed ranks of waiting requests, so
  /// that all lists must be asked for `next` again.
  { policy.renew(ranked) } -> std::same_as<bool>;
};

/// Among several banks, the one with the oldest request goes first.
struct OldestBankFirst {
  void arrived(Request& request) { request.rank = request.age; }
  void served(const Request& /*request*/) {}
  bool renew(RequestLists& /*ranked*/) { return false; }
};

}  // namespace tcsim::dram
