#pragma once

#include <cstddef>
#include <deque>
#include <vector>

namespace tcsim::memory {

/// Requests of SMs whose slice has no room in its queue. An SM's requests wait in the order in
/// which they were sent, after the first one that found no room, whichever slices they need. A
/// slice that has room again takes requests from the waiting SMs in turns. So SMs get equal shares
/// of the bottleneck, however many requests each has in flight.
template <typename Request>
class HeldRequests {
 public:
  HeldRequests(std::size_t sms, std::size_t slices) : of_sm_(sms), turns_(slices) {}

  bool holds(std::size_t sm) const { return !of_sm_[sm].empty(); }

  /// The oldest held request of `sm`. Requires holds(sm).
  const Request& oldest(std::size_t sm) const { return of_sm_[sm].front(); }

  void hold(std::size_t sm, const Request& request) { of_sm_[sm].push_back(request); }

  /// `sm` waits for `slice` from now on, which its oldest held request needs.
  void wait_for(std::size_t sm, std::size_t slice) { turns_[slice].push_back(sm); }

  bool is_wanted(std::size_t slice) const { return !turns_[slice].empty(); }

  /// The SM whose turn it is at `slice`; removes it from the waiting SMs. Requires
  /// is_wanted(slice).
  std::size_t next_sm(std::size_t slice) {
    const std::size_t sm = turns_[slice].front();
    turns_[slice].pop_front();
    return sm;
  }

  /// Takes the oldest held request of `sm`. Requires holds(sm).
  Request take(std::size_t sm) {
    const Request request = of_sm_[sm].front();
    of_sm_[sm].pop_front();
    return request;
  }

 private:
  std::vector<std::deque<Request>> of_sm_;
  std::vector<std::deque<std::size_t>> turns_;  ///< [slice]: SMs that wait for it
};

}  // namespace tcsim::memory
