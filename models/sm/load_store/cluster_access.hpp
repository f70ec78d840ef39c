#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/sm/completion_queue.hpp"
#include "models/sm/load_store/completion.hpp"
#include "models/sm/load_store/operation.hpp"
#include "models/sm/load_store/shared_access.hpp"
#include "models/sm/params.hpp"
#include "models/sm/peer_message.hpp"
#include "models/sm/peer_port.hpp"

namespace tcsim::sm {

/// Loads, stores and atomics in the shared memory of CTAs of the cluster (LD.E, ST.E, ATOM.E). Each
/// instruction sends one access to the SM of each CTA that its lanes name: one packet for every
/// wavefront that it reads, or the data that it writes with their headers. There the access waits
/// for its turn like an instruction of that SM, takes the data path for its wavefronts, and is
/// answered with data and their headers, or with one packet.
class ClusterAccess {
 public:
  /// The referenced objects outlive this object.
  ClusterAccess(const SmParams& params, MemoryOperations& operations, SharedAccess& shared,
                DataPath& path, MemoryCompletion& completion, CompletionQueue& told,
                PeerPort& port);

  /// When the next instruction may enter.
  [[nodiscard]] Cycle room_at() const { return port_.turn_at(); }
  /// Instruction `number` enters the pipeline at `now`.
  void enter(int number, Cycle now);

  /// An access from another SM has arrived, or the answer to one of this SM's own accesses.
  void accept(const PeerMessage& access) { waiting_.push_back(access); }
  void receive(const PeerMessage& answer, Cycle now);
  [[nodiscard]] bool has_waiting() const { return !waiting_.empty(); }
  /// The first waiting access takes the data path. Requires that there is one.
  void serve(Cycle now);
  /// Sends answer `number`, which a token has reported to be due.
  void send_answer(int number, Cycle now);

  /// True if no access from other SMs waits here or is being answered.
  [[nodiscard]] bool is_idle() const { return waiting_.empty() && answers_under_way_ == 0; }

 private:
  [[nodiscard]] int data_packets(int bytes, int behind_a_header) const;
  void send(int number, const PeerPart& part, Cycle now);
  void tell_unreachable(const MemoryOperation& operation, int rank, Cycle now);
  void finish(int number, Cycle at);

  const ClusterParams params_;
  const Cycle load_cycles_;  ///< from entering the pipeline to the data of a load without conflicts
  MemoryOperations& operations_;
  SharedAccess& shared_;
  DataPath& path_;
  MemoryCompletion& completion_;
  CompletionQueue& told_;
  PeerPort& port_;
  std::deque<PeerMessage> waiting_;   ///< in order of arrival
  std::vector<PeerMessage> answers_;  ///< to be sent, by number
  std::vector<int> free_answers_;     ///< free answer numbers
  int answers_under_way_ = 0;
};

}  // namespace tcsim::sm
