#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/functional/causal_order.hpp"

namespace tcsim::functional {

/// An mbarrier: a phase is complete when all its arrivals have come and the bytes that it expects
/// have been copied. Copies land at the latest moment that the hardware may choose: when a warp
/// needs the phase.
struct Mbarrier {
  /// Performs a copy into shared memory and returns how many of the bytes that the phase expects it
  /// brought.
  using Land = std::function<int()>;

  int agent = 0;             ///< its agent in the CausalOrder
  int expected = 0;          ///< arrivals per phase
  int pending = 0;           ///< arrivals that the current phase still needs
  int phase = 0;             ///< number of completed phases
  std::int64_t bytes = 0;    ///< bytes of the current phase that have not arrived; may drop below 0
  std::vector<Land> copies;  ///< copies in flight for the current phase
  Clock arrived;             ///< joint knowledge of the warps arrived in the current phase
  Clock complete;            ///< the same over all completed phases

  /// For example "phase 3, which lacks 1 of 2 arrivals and 4096 bytes".
  [[nodiscard]] std::string missing() const;
};

/// The mbarriers of a CTA by their address in shared memory.
class Mbarriers {
 public:
  explicit Mbarriers(CausalOrder& order) : order_(order) {}

  void init(std::int64_t address, int arrivals);
  /// Null if there is none at `address`.
  [[nodiscard]] Mbarrier* find(std::int64_t address);
  /// `warp` arrives, and the phase expects `bytes` more bytes. False if the phase already has all
  /// its arrivals and only lacks bytes: hardware would then count the arrival for no phase.
  [[nodiscard]] bool arrive(Mbarrier& barrier, int warp, std::int64_t bytes);
  /// True if `warp` need not wait: the phase with `parity` is complete.
  [[nodiscard]] bool wait(Mbarrier& barrier, int warp, int parity);

 private:
  static void settle(Mbarrier& barrier);
  static void complete_if_done(Mbarrier& barrier);

  CausalOrder& order_;
  std::map<std::int64_t, Mbarrier> barriers_;
};

}  // namespace tcsim::functional
