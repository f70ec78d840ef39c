#include "models/functional/causal_order.hpp"

#include <algorithm>

namespace tcsim::functional {
namespace {

void join_into(std::vector<int>& times, const std::vector<int>& others) {
  if (times.size() < others.size()) times.resize(others.size());
  for (std::size_t i = 0; i < others.size(); ++i) times[i] = std::max(times[i], others[i]);
}

void intersect_into(std::vector<int>& times, const std::vector<int>& others) {
  if (times.size() > others.size()) times.resize(others.size());
  for (std::size_t i = 0; i < times.size(); ++i) times[i] = std::min(times[i], others[i]);
}

}  // namespace

void Clock::join(const Clock& other) {
  join_into(seen, other.seen);
  join_into(fenced, other.fenced);
}

void Clock::intersect(const Clock& other) {
  intersect_into(seen, other.seen);
  intersect_into(fenced, other.fenced);
}

CausalOrder::CausalOrder(int warps) : clocks_(static_cast<std::size_t>(warps)), agents_(warps) {
  for (std::size_t warp = 0; warp < clocks_.size(); ++warp) {
    clocks_[warp].seen.resize(clocks_.size());
    clocks_[warp].fenced.resize(clocks_.size());
    clocks_[warp].seen[warp] = 1;
  }
}

void CausalOrder::release(int warp, Clock& into) {
  Clock& own = clocks_[static_cast<std::size_t>(warp)];
  into.join(own);
  ++own.seen[static_cast<std::size_t>(warp)];
}

void CausalOrder::see(int warp, int agent, int time) {
  std::vector<int>& seen = clocks_[static_cast<std::size_t>(warp)].seen;
  const auto place = static_cast<std::size_t>(agent);
  if (seen.size() <= place) seen.resize(place + 1);
  seen[place] = std::max(seen[place], time);
}

void CausalOrder::fence(int warp) {
  Clock& own = clocks_[static_cast<std::size_t>(warp)];
  own.fenced = own.seen;
  ++own.seen[static_cast<std::size_t>(warp)];
}

void CausalOrder::meet(int first, int warps) {
  Clock all;
  for (int warp = first; warp < first + warps; ++warp) release(warp, all);
  for (int warp = first; warp < first + warps; ++warp) acquire(warp, all);
}

}  // namespace tcsim::functional
