#pragma once

#include <concepts>
#include <string_view>

#include "models/dram/params.hpp"
#include "models/dram/request_lists.hpp"

namespace tcsim::dram {

/// In which order the requests of one channel are served. Two questions make it: which request of a
/// bank and direction goes next, and, by Request::rank, which of several banks. Which direction has
/// its turn (Turn), which commands that takes and when they are allowed (Channel) is not its
/// business.
template <typename Policy>
concept Scheduling = std::constructible_from<Policy, const DramParams&> &&
    requires(Policy policy, Request& request, const RequestLists& waiting, RequestLists& ranked,
             Direction direction, int dram_bank) {
  /// The word of machine files for dram.scheduling.
  { Policy::kName } -> std::convertible_to<std::string_view>;
  /// `request` is about to join its list: sets its rank.
  policy.arrived(request);
  /// The request of a list that is not empty which goes next: a READ or WRITE is issued for it if
  /// its row is open, else a row command. Asked again whenever the list or the open row has
  /// changed.
  { policy.next(waiting, direction, dram_bank) } -> std::same_as<Slot>;
  /// `request` has been served and has left its list.
  policy.served(request);
  /// Asked in each clock that has changed the waiting requests, once all that arrive in it have
  /// joined and once its commands have been issued: true if ranks of waiting requests have been
  /// changed, so that all lists are to be asked for `next` again.
  { policy.renew(ranked) } -> std::same_as<bool>;
};

/// Of several banks that with the oldest request goes first.
struct OldestBankFirst {
  void arrived(Request& request) { request.rank = request.age; }
  void served(const Request& /*request*/) {}
  bool renew(RequestLists& /*ranked*/) { return false; }
};

}  // namespace tcsim::dram
