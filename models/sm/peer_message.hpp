#pragma once

#include <cstdint>

#include "models/isa/cycle.hpp"
#include "models/isa/opcode.hpp"

namespace tcsim::sm {

/// A message from one CTA to another one of its cluster, over the network between the SMs of a GPC.
struct PeerMessage {
  enum class Kind : std::uint8_t {
    kArrive,         ///< arrival at the mbarrier at `address`
    kBytes,          ///< `bytes` bytes of a box have arrived for it
    kClusterArrive,  ///< all warps of the sender have arrived at the cluster barrier
    kClusterLeave,   ///< all warps of the sender have exited after `bytes` arrivals of the CTA at
                     ///< it
    kAccess,         ///< access to the shared memory of the CTA, described by `access`
    kAnswer,         ///< answer to such an access: it is done, its data are here
    kGone,           ///< answer to such an access: the CTA has ended
    kPut,            ///< `bytes` bytes of a copy, for the CTA and the mbarrier at `address`
    kPutDone,        ///< answer to such bytes of copy `access.operation`: they have arrived
  };
  /// A shared-memory access, as the SM that sends it knows it.
  struct Access {
    isa::Effect effect = isa::Effect::kNone;
    std::uint8_t lanes = 0;
    std::uint16_t wavefronts = 0;  ///< shared-memory wavefronts, including bank conflicts
    std::uint16_t minimum_wavefronts = 0;
    std::uint16_t wavefront_bytes = 0;
    std::uint16_t operation = 0;   ///< its number in the SM that sent it
    std::uint16_t read_bytes = 0;  ///< bytes that the answer carries
  };

  Cycle at = 0;            ///< when the message arrives
  std::uint16_t from = 0;  ///< sending SM
  std::uint16_t to = 0;
  std::uint16_t cluster = 0;  ///< number in the ClusterTable
  std::uint8_t rank = 0;      ///< rank of the receiving CTA
  Kind kind = Kind::kArrive;
  std::int32_t bytes = 0;
  std::int64_t address = 0;
  Access access{};
};

/// Orders messages by arrival time, then by sending SM; messages of one SM in the order in which it
/// sent them.
struct EarlierMessage {
  bool operator()(const PeerMessage& a, const PeerMessage& b) const {
    return a.at != b.at ? a.at < b.at : a.from < b.from;
  }
};

}  // namespace tcsim::sm
