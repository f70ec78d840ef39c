#pragma once

#include <cstddef>
#include <deque>
#include <vector>

namespace tcsim::memory {

/// Requests of SMs whose slice has no room in its queue. Those of an SM wait in the order in which
/// they were sent, behind the first that found no room, whatever slices they want; a slice that
/// has room again takes from the SMs that wait for it in turns. So SMs get equal shares of what is
/// short, whatever number of requests each has under way.
template <typename Request>
class HeldRequests {
 public:
  HeldRequests(std::size_t sms, std::size_t slices) : of_sm_(sms), turns_(slices) {}

  bool holds(std::size_t sm) const { return !of_sm_[sm].empty(); }

  /// The oldest held request of `sm`. Requires holds(sm).
  const Request& oldest(std::size_t sm) const { return of_sm_[sm].front(); }

  void hold(std::size_t sm, const Request& request) { of_sm_[sm].push_back(request); }

  /// `sm` waits for `slice` from now on. Its oldest held request goes there.
  void wait_for(std::size_t sm, std::size_t slice) { turns_[slice].push_back(sm); }

  bool is_wanted(std::size_t slice) const { return !turns_[slice].empty(); }

  /// The SM whose turn it is at `slice`. It does not wait there any more. Requires
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
