#pragma once

#include <cstdint>

#include "models/isa/cycle.hpp"

namespace tcsim::sm {

/// What a CTA tells another one of its cluster, over the network between the SMs of a GPC.
struct PeerMessage {
  enum class Kind : std::uint8_t {
    kArrive,         ///< at the mbarrier at `address`
    kBytes,          ///< so many bytes of a box have come there
    kClusterArrive,  ///< all its warps have come to the barrier of the cluster
  };

  Cycle at = 0;            ///< when it comes
  std::uint16_t from = 0;  ///< SM
  std::uint16_t to = 0;
  std::uint16_t cluster = 0;  ///< number in the ClusterTable
  std::uint8_t rank = 0;      ///< of the CTA that it is for
  Kind kind = Kind::kArrive;
  std::int32_t bytes = 0;
  std::int64_t address = 0;
};

/// By when they come, then by who has sent them; those of one SM in the order in which it has.
struct EarlierMessage {
  bool operator()(const PeerMessage& a, const PeerMessage& b) const {
    return a.at != b.at ? a.at < b.at : a.from < b.from;
  }
};

}  // namespace tcsim::sm
