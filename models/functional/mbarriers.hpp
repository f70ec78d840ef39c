#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/functional/causal_order.hpp"

namespace tcsim::functional {

/// An mbarrier: a phase is complete when all its arrivals have come and the bytes that it expects
/// have been copied. Copies land at the latest moment that hardware may choose: when somebody needs
/// the phase.
struct Mbarrier {
  /// Brings a copy into shared memory and returns its bytes of those that the phase expects.
  using Land = std::function<int()>;

  int agent = 0;             ///< of the CausalOrder
  int expected = 0;          ///< arrivals of a phase
  int pending = 0;           ///< of those of the current one
  int phase = 0;             ///< phases that are complete
  std::int64_t bytes = 0;    ///< of the current phase that are not here; may pass below 0
  std::vector<Land> copies;  ///< under way, of the current phase
  Clock arrived;             ///< what those knew that have arrived in the current phase
  Clock complete;            ///< the same for all complete phases

  /// "phase 3, which lacks 1 of 2 arrivals and 4096 bytes"
  [[nodiscard]] std::string missing() const;
};

/// The mbarriers of a CTA by their address in shared memory.
class Mbarriers {
 public:
  explicit Mbarriers(CausalOrder& order) : order_(order) {}

  void init(std::int64_t address, int arrivals);
  /// Null if there is none at `address`.
  [[nodiscard]] Mbarrier* find(std::int64_t address);
  /// `warp` arrives, and the phase expects `bytes` more. False if the phase has all its arrivals
  /// and lacks bytes, so that hardware would count the arrival to no phase.
  [[nodiscard]] bool arrive(Mbarrier& barrier, int warp, std::int64_t bytes);
  /// True if `warp` has nothing to wait for: the phase with `parity` is complete.
  [[nodiscard]] bool wait(Mbarrier& barrier, int warp, int parity);

 private:
  static void settle(Mbarrier& barrier);
  static void complete_if_done(Mbarrier& barrier);

  CausalOrder& order_;
  std::map<std::int64_t, Mbarrier> barriers_;
};

}  // namespace tcsim::functional
