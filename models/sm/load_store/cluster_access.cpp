#include "models/sm/load_store/cluster_access.hpp"

#include <algorithm>

namespace tcsim::sm {

ClusterAccess::ClusterAccess(const SmParams& params, MemoryOperations& operations,
                             SharedAccess& shared, DataPath& path, MemoryCompletion& completion,
                             CompletionQueue& told, PeerPort& port)
    : params_(params.cluster),
      load_cycles_(std::max<Cycle>(1, params.cluster.load_latency_cycles -
                                          params.memory_queue.address_interval_cycles -
                                          completion.register_cycles())),
      operations_(operations),
      shared_(shared),
      path_(path),
      completion_(completion),
      told_(told),
      port_(port) {}

int ClusterAccess::data_packets(int bytes, int behind_a_header) const {
  return ceil_div(bytes, params_.packet_bytes) + ceil_div(bytes, behind_a_header);
}

/// What is sent to another SM takes the data path on its way out.
void ClusterAccess::send(int number, const PeerPart& part, Cycle now) {
  PeerMessage message{.kind = PeerMessage::Kind::kAccess};
  message.cluster = operations_[number].cluster;
  message.rank = static_cast<std::uint8_t>(part.rank);
  message.access = part.access;
  message.access.operation = static_cast<std::uint16_t>(number);
  int packets = part.access.wavefronts;
  if (part.write_bytes > 0) {
    path_.move(part.write_bytes, now);
    packets = data_packets(part.write_bytes, params_.write_bytes);
  }
  port_.send_access(message, packets, now);
}

void ClusterAccess::enter(int number, Cycle now) {
  MemoryOperation& operation = operations_[number];
  operation.lines_left = static_cast<int>(operation.peers.size());
  Cycle own_data = 0;
  for (const PeerPart& part : operation.peers) {
    if (part.rank == operation.rank) {
      own_data = now + load_cycles_ + shared_.take_path(part.access, now);
      continue;
    }
    if (part.rank < 0 || part.rank >= port_.size(operation.cluster)) {
      tell_unreachable(operation, part.rank, now);
      continue;
    }
    send(number, part, now);
  }
  if (own_data == 0) return;
  if (--operation.lines_left == 0) finish(number, own_data);
}

void ClusterAccess::serve(Cycle now) {
  const PeerMessage access = waiting_.front();
  waiting_.pop_front();
  const Cycle extra = shared_.take_path(access.access, now);
  int number = static_cast<int>(answers_.size());
  if (free_answers_.empty()) {
    answers_.push_back(access);
  } else {
    number = free_answers_.back();
    free_answers_.pop_back();
    answers_[static_cast<std::size_t>(number)] = access;
  }
  ++answers_under_way_;
  told_.push(now + load_cycles_ + extra,
             {.kind = CompletionToken::Kind::kPeerAnswer, .value = number},
             CycleReason::kDependenceShared);
}

void ClusterAccess::send_answer(int number, Cycle now) {
  const PeerMessage& access = answers_[static_cast<std::size_t>(number)];
  const int bytes = access.access.read_bytes;
  const int packets = bytes == 0 ? 1 : data_packets(bytes, params_.read_bytes);
  port_.answer(access, PeerMessage::Kind::kAnswer, packets, now);
  free_answers_.push_back(number);
  --answers_under_way_;
}

void ClusterAccess::receive(const PeerMessage& answer, Cycle now) {
  const int number = answer.access.operation;
  MemoryOperation& operation = operations_[number];
  if (answer.kind == PeerMessage::Kind::kGone) return tell_unreachable(operation, answer.rank, now);
  if (--operation.lines_left == 0) finish(number, now);
}

/// The instruction never completes.
void ClusterAccess::tell_unreachable(const MemoryOperation& operation, int rank, Cycle now) {
  told_.push(
      now + 1,
      {CompletionToken::Kind::kUnreachable, operation.id.warp, static_cast<std::uint16_t>(rank)},
      CycleReason::kDependenceShared);
}

/// All parts of instruction `number` are done; the data are available at `at`.
void ClusterAccess::finish(int number, Cycle at) {
  const MemoryOperation& operation = operations_[number];
  if (operation.instruction->dst_registers > 0)
    completion_.write_back(operation, at, CycleReason::kDependenceShared);
  else
    completion_.end(operation, at, CycleReason::kDependenceShared);
  told_.push(at, operation.written, CycleReason::kDependenceShared);
  operations_.give_back(number);
}

}  // namespace tcsim::sm
