#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/line_request.hpp"
#include "models/sm/completion_queue.hpp"
#include "models/sm/completion_token.hpp"
#include "models/sm/constant_cache.hpp"
#include "models/sm/kernel.hpp"
#include "models/sm/lane_addresses.hpp"
#include "models/sm/load_store/cluster_access.hpp"
#include "models/sm/load_store/completion.hpp"
#include "models/sm/load_store/constant_access.hpp"
#include "models/sm/load_store/counters.hpp"
#include "models/sm/load_store/data_path.hpp"
#include "models/sm/load_store/global_access.hpp"
#include "models/sm/load_store/operation.hpp"
#include "models/sm/load_store/queue.hpp"
#include "models/sm/load_store/shared_access.hpp"
#include "models/sm/load_store/tile_copies.hpp"
#include "models/sm/observer.hpp"
#include "models/sm/params.hpp"
#include "models/sm/peer_message.hpp"
#include "models/sm/peer_port.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::sm {

/// A memory instruction at issue: what it does, where its lanes go, and which tokens report
/// completion.
struct IssuedAccess {
  const DecodedInstruction& instruction;
  LaneAddresses addresses;
  std::uint32_t lanes;  ///< active, bit per lane
  IssueId id;
  std::uint16_t cta;  ///< number of WritesUnderWay
  CompletionToken sources_read;
  CompletionToken done;
  CompletionToken written{};  ///< cluster accesses: what they write is in place
  std::uint16_t cluster = 0;  ///< cluster accesses: the cluster of the CTA, and its rank there
  std::uint8_t rank = 0;
};

/// Queues and address units of the sub-cores, and the one pipeline of the SM after them: shared
/// memory, L1, constants, and the way out to the network. One instruction enters the pipeline at a
/// time, with the sub-cores taking turns; its wavefronts occupy the data path,
/// L1Params::bytes_per_cycle wide. It knows no warps: it reports completions by tokens.
class MemoryPipeline {
 public:
  /// `constants`, `told` and `port` outlive the pipeline.
  MemoryPipeline(const SmParams& params, int sm, ConstantCache& constants, CompletionQueue& told,
                 PeerPort& port, stats::Group& parent);

  /// Prepares for a kernel that leaves `l1_bytes` of the unified memory to the data cache. Requires
  /// that nothing is in flight.
  void begin_kernel(const Kernel& kernel, std::int64_t l1_bytes);

  /// The cycle from which the queue of `sub_core` has room for one more instruction, possibly long
  /// past; kNever while that depends on when the pipeline takes the next one.
  Cycle room_at(int sub_core) const {
    return queues_[static_cast<std::size_t>(sub_core)].room_at();
  }
  /// From now on `observer`, which must outlive the pipeline, sees memory instructions pass
  /// through.
  void attach(Observer& observer);

  /// Queues `access`, which a warp of `sub_core` issues. Requires at least one active lane, and
  /// room.
  void accept(const IssuedAccess& access, int sub_core);

  /// The next cycle at which `step` can do something.
  Cycle next_step() const { return next_step_; }
  /// Lets at most one instruction into the pipeline. Returns the sub-core whose room_at() has
  /// stopped being kNever, or -1.
  int step(Cycle now);
  /// Takes data from the memory side. Requires response.cycle == now.
  void receive(const memory::LineResponse& response, Cycle now);
  /// Line `line` of code memory, for which LDCs may wait, has arrived from L2 at `now`.
  void constants_arrived(std::uint32_t line, Cycle now) { constants_.arrived(line, now); }

  /// Starts copying `box`.
  BoxLines start(const IssuedBox& box, Cycle now) { return tiles_.start(box, now); }
  /// Takes a line that was read for several CTAs of a cluster.
  void receive(const LineForCta& line, CompletionToken done, Cycle now) {
    tiles_.receive(line, done, now);
  }
  /// Takes an access from a CTA on another SM to a CTA here, or the answer to one of this SM's own
  /// accesses.
  void accept(const PeerMessage& access) {
    cluster_.accept(access);
    update_next_step();
  }
  void receive(const PeerMessage& answer, Cycle now) { cluster_.receive(answer, now); }
  /// Sends answer `number`, whose token has reported that it is due.
  void send_answer(int number, Cycle now) { cluster_.send_answer(number, now); }
  /// For copies to other SMs: the port grants its turn; a piece of copy `number` has arrived.
  void go_on_putting(Cycle now) { tiles_.go_on_putting(now); }
  void put_is_done(int number, Cycle now) { tiles_.put_is_done(number, now); }
  /// Operands of a wgmma, `bytes` of them, take the data path.
  void take_path(int bytes, Cycle now) { path_.move_asynchronous(bytes, now); }

  const WritesUnderWay& writes() const { return global_.writes(); }
  /// Requests that have left since the owner last cleared the list, in order of their cycle.
  std::vector<memory::LineRequest>& requests() { return global_.requests(); }
  /// The same for boxes.
  std::vector<memory::LineRequest>& tile_requests() { return tiles_.requests(); }
  bool has_requests() const { return !global_.requests().empty() || !tiles_.requests().empty(); }
  /// Flags that have arrived since the owner last cleared the list.
  std::vector<FlagRead>& flag_reads() { return global_.flag_reads(); }
  /// The cycle of the last answer to an access of global memory, of boxes only to stores, since
  /// CTAs wait for the others.
  Cycle last_answer() const { return std::max(global_.last_answer(), tiles_.last_store_done()); }

  bool is_idle() const {
    return operations_.is_empty() && !global_.has_stores_under_way() && is_idle_but_for_lines();
  }
  /// True if no box and no access in the cluster is on its way.
  bool is_idle_but_for_lines() const { return tiles_.is_idle() && cluster_.is_idle(); }

 private:
  void resolve(MemoryOperation& operation, const IssuedAccess& access) const;
  void resolve_peers(MemoryOperation& operation, const IssuedAccess& access) const;
  Cycle entry_at(const MemoryOperation& operation) const;
  void enter(int number, Cycle address_ready, Cycle now);
  void tell_of_sources(const MemoryOperation& operation, Cycle address_ready, Cycle now);
  void tell_of_entry(const MemoryOperation& operation, Cycle sources_read, Cycle address_ready,
                     Cycle now);
  void note_waits_for_entries(Cycle now);
  void update_next_step();

  const Cycle source_read_;  ///< from entering the pipeline until the sources are read
  stats::Group group_;
  MemoryCounters counters_;
  CompletionQueue& told_;
  MemoryOperations operations_;
  std::vector<MemoryQueue> queues_;  ///< by sub-core
  DataPath path_;
  MemoryCompletion completion_;
  SharedAccess shared_;
  GlobalAccess global_;
  ClusterAccess cluster_;
  ConstantAccess constants_;
  TileCopies tiles_;
  const Kernel* kernel_ = nullptr;
  Observer* observer_ = nullptr;
  std::size_t turn_ = 0;  ///< sub-core that is asked first; other SMs follow the last one
  Cycle next_step_ = kNever;
  bool waits_for_data_ = false;  ///< the head of a queue waits for data, so only `receive` can tell
                                 ///< when it enters
  // For the observer.
  Cycle passed_at_ = 0;              ///< when the last one to enter has left the data path
  std::vector<Cycle> entries_free_;  ///< MemoryEntry::entries_free, by sub-core
};

}  // namespace tcsim::sm
