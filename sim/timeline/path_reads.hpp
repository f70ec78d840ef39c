#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/observer.hpp"

namespace tcsim::timeline {

/// The reads under way of some SMs, and how far they have come.
class PathReads : public memory::Observer {
 public:
  struct Read {
    Cycle sent = 0;
    Cycle arrived = 0;  ///< at the slice
    Cycle looked_up = kNever;
    Cycle found = kNever;
    Cycle left = kNever;
  };

  void listen_to(int sm) { sms_[static_cast<std::uint16_t>(sm)]; }

  void sent(std::uint16_t sm, std::uint32_t tag, Cycle at, Cycle arrives) override;
  void looked_up(std::uint16_t sm, std::uint32_t tag, Cycle at) override;
  void found(std::uint16_t sm, std::uint32_t tag, Cycle at, Cycle leaves) override;

  /// The read of `tag` that has been answered, or nothing: of several of one tag the one whose
  /// answer left first.
  std::optional<Read> take(std::uint16_t sm, std::uint32_t tag);

 private:
  using Reads = std::vector<Read>;  ///< of one tag, in the order in which they were sent

  Reads* find(std::uint16_t sm, std::uint32_t tag);

  std::map<std::uint16_t, std::unordered_map<std::uint32_t, Reads>> sms_;
};

}  // namespace tcsim::timeline
