#pragma once

#include <cstdint>

#include "models/isa/cycle.hpp"
#include "models/isa/opcode.hpp"

namespace tcsim::sm {

/// What a CTA tells another one of its cluster, over the network between the SMs of a GPC.
struct PeerMessage {
  enum class Kind : std::uint8_t {
    kArrive,         ///< at the mbarrier at `address`
    kBytes,          ///< so many bytes of a box have come there
    kClusterArrive,  ///< all its warps have come to the barrier of the cluster
    kClusterLeave,   ///< all its warps have exited, having come there `bytes` times
    kAccess,         ///< of the shared memory of the CTA, as `access` says
    kAnswer,         ///< to such an access: it has been done, data are here
    kGone,           ///< to such an access: the CTA has ended
    kPut,            ///< so many bytes of a copy, for the CTA and the mbarrier at `address`
    kPutDone,        ///< to such bytes of copy `access.operation`: they are here
  };
  /// An access of shared memory, as its own SM knows it.
  struct Access {
    isa::Effect effect = isa::Effect::kNone;
    std::uint8_t lanes = 0;
    std::uint16_t wavefronts = 0;  ///< of shared memory, bank conflicts included
    std::uint16_t minimum_wavefronts = 0;
    std::uint16_t operation = 0;   ///< its number in the SM that has sent it
    std::uint16_t read_bytes = 0;  ///< that the answer carries
  };

  Cycle at = 0;            ///< when it comes
  std::uint16_t from = 0;  ///< SM
  std::uint16_t to = 0;
  std::uint16_t cluster = 0;  ///< number in the ClusterTable
  std::uint8_t rank = 0;      ///< of the CTA that it is for
  Kind kind = Kind::kArrive;
  std::int32_t bytes = 0;
  std::int64_t address = 0;
  Access access{};
};

/// By when they come, then by who has sent them; those of one SM in the order in which it has.
struct EarlierMessage {
  bool operator()(const PeerMessage& a, const PeerMessage& b) const {
    return a.at != b.at ? a.at < b.at : a.from < b.from;
  }
};

}  // namespace tcsim::sm
