#include "models/functional/mbarriers.hpp"

namespace tcsim::functional {

std::string Mbarrier::missing() const {
  return "phase " + std::to_string(phase) + ", which lacks " + std::to_string(pending) + " of " +
         std::to_string(expected) + " arrivals and " +
         (bytes < 0 ? "received " + std::to_string(-bytes) + " bytes more than it expects"
                    : std::to_string(bytes) + " bytes");
}

void Mbarriers::init(std::int64_t address, int arrivals) {
  Mbarrier& barrier = barriers_[address];
  barrier = {};
  barrier.agent = order_.add_agent();
  barrier.expected = barrier.pending = arrivals;
}

Mbarrier* Mbarriers::find(std::int64_t address) {
  const auto found = barriers_.find(address);
  return found == barriers_.end() ? nullptr : &found->second;
}

void Mbarriers::complete_if_done(Mbarrier& barrier) {
  if (barrier.pending != 0 || barrier.bytes != 0 || !barrier.copies.empty()) return;
  ++barrier.phase;
  barrier.pending = barrier.expected;
  barrier.complete.join(barrier.arrived);
  barrier.arrived = {};
}

/// Lets the copies in flight land if that can complete the phase.
void Mbarriers::settle(Mbarrier& barrier) {
  if (barrier.pending != 0) return;  // the phase cannot be completed by copies
  for (const Mbarrier::Land& land : barrier.copies) barrier.bytes -= land();
  barrier.copies.clear();
  complete_if_done(barrier);
}

bool Mbarriers::arrive(Mbarrier& barrier, int warp, std::int64_t bytes) {
  if (barrier.pending == 0) settle(barrier);
  if (barrier.pending == 0) return false;
  order_.release(warp, barrier.arrived);
  barrier.bytes += bytes;
  --barrier.pending;
  complete_if_done(barrier);
  return true;
}

bool Mbarriers::wait(Mbarrier& barrier, int warp, int parity) {
  const auto is_over = [&] { return barrier.phase % 2 != parity; };
  if (!is_over()) settle(barrier);
  if (!is_over()) return false;
  order_.acquire(warp, barrier.complete);
  order_.see(warp, barrier.agent, barrier.phase);
  return true;
}

}  // namespace tcsim::functional
