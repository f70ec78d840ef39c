#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/line_request.hpp"
#include "models/sm/completion_queue.hpp"
#include "models/sm/completion_token.hpp"
#include "models/sm/load_store/answer_tag.hpp"
#include "models/sm/load_store/counters.hpp"
#include "models/sm/load_store/data_path.hpp"
#include "models/sm/observer.hpp"
#include "models/sm/params.hpp"
#include "models/sm/peer_port.hpp"

namespace tcsim::sm {

/// Contiguous bytes of global memory.
struct ByteRange {
  std::uint64_t begin;
  std::uint64_t end;
};

/// A box that a warp requests.
struct IssuedBox {
  std::vector<ByteRange> rows;  ///< the parts of global memory that lie inside its tensor
  int bytes = 0;                ///< of the whole box
  /// The access of its lines: any except kAtomic.
  memory::LineAccess access{};
  /// For kRead: all bytes are in shared memory. For kWrite and kReduction: they have been read from
  /// it.
  CompletionToken done;
  /// For loads to CTAs of a cluster: bit r stands for the CTA of rank r; 0: only the own CTA.
  /// `done` is unused: each CTA is told of each line (LineForCta).
  std::uint16_t ranks = 0;
  std::uint16_t cluster = 0;  ///< its number
  int barrier = 0;            ///< byte address of the mbarrier in shared memory
  /// For puts: the rank of the CTA of `cluster` to whose shared memory the bytes go and which holds
  /// `barrier`; `access` and `done` are unused.
  std::optional<std::int64_t> put_rank{};
  IssueId id;
};

/// The part of a line of a box that lies inside its tensor.
struct BoxLine {
  std::uint64_t address;
  std::uint16_t bytes;
  std::uint8_t sectors;
  std::uint8_t partial;  ///< sectors of which the box covers only some bytes
};

/// Writes the lines of `box` to `lines`, row by row.
void cut(const IssuedBox& box, int line_bytes, int sector_bytes, std::vector<BoxLine>& lines);

/// What a box contains inside its tensor.
struct BoxLines {
  int lines = 0;
  int bytes = 0;
};

/// A line of a box for several CTAs, as delivered to one of them.
struct LineForCta {
  std::uint16_t cluster = 0;
  int rank = 0;        ///< rank of the CTA
  bool lands = false;  ///< the line goes to this CTA
  bool asked = false;  ///< this CTA requested the box
  int barrier = 0;     ///< byte address of its mbarrier
  int bytes = 0;
};

/// The unit of an SM that copies boxes of tensors, and contiguous bytes, between global and shared
/// memory without the L1 (TMA). It handles one box after the other, one line of the box per
/// request, and limits the bytes of reads in flight. What lies outside the tensor costs nothing.
/// Data of reads are written to shared memory as they arrive, on a path of their own that is as
/// wide as the SM's data path; data of writes take the data path as they leave. Reductions leave
/// like writes, with only the FP32 words of their lines, and are executed and answered like RED.
/// Prefetches request their lines from the L2; no data return. Puts go to other SMs like stores of
/// the cluster do, ClusterParams::put_bytes at a time: a piece takes the data path, leaves when the
/// port grants its turn, and counts at the mbarrier there when it is in shared memory.
class TileCopies {
 public:
  /// For SM `sm`. The referenced objects outlive this object.
  TileCopies(const SmParams& params, int sm, DataPath& path, PeerPort& port, CompletionQueue& told,
             MemoryCounters& counters);

  /// From now on `observer`, which must outlive this object, is told when boxes have arrived.
  void attach(Observer& observer) { observer_ = &observer; }
  BoxLines start(const IssuedBox& box, Cycle now);
  /// The answer to a request has arrived: AnswerKind::kTile.
  void receive(const AnswerTag& tag, Cycle now);
  /// The line that an answer describes: AnswerKind::kClusterLine.
  static LineForCta line_for_cta(const AnswerTag& tag, const memory::ClusterFlag& flag);
  /// The line arrives; `done` is reported when it is in shared memory.
  void receive(const LineForCta& line, CompletionToken done, Cycle now);
  /// The port grants its turn to a piece of a put, as reported by a token.
  void go_on_putting(Cycle now);
  /// A piece of put `number` has arrived at the other SM.
  void put_is_done(int number, Cycle now);

  /// Requests made since the owner last took them, in order of their cycle.
  std::vector<memory::LineRequest>& requests() { return requests_; }
  [[nodiscard]] const std::vector<memory::LineRequest>& requests() const { return requests_; }
  [[nodiscard]] bool is_idle() const { return under_way_ == 0 && lines_for_cluster_ == 0; }
  [[nodiscard]] Cycle last_store_done() const { return last_store_done_; }

 private:
  struct Copy {
    std::vector<BoxLine> lines;
    std::size_t next = 0;  ///< next line to request
    std::size_t unanswered = 0;
    memory::LineAccess access{};             ///< of IssuedBox
    std::optional<std::int64_t> put_rank{};  ///< of IssuedBox
    int put_left = 0;                        ///< bytes of a put that have not left
    bool is_free = true;
    std::uint16_t ranks = 0;
    std::uint16_t cluster = 0;
    int barrier = 0;
    Cycle from = 0;  ///< earliest cycle of its first request
    CompletionToken done;
    IssueId id;

    [[nodiscard]] bool reads() const { return access == memory::LineAccess::kRead; }
    /// From shared memory to global memory.
    [[nodiscard]] bool writes() const { return !memory::only_reads(access) && !put_rank; }
  };

  int take();
  void send_what_may(Cycle now);
  bool put_what_may(int number, Cycle now);
  bool ask_for_what_may(int number, Cycle now);
  void send(int number, const BoxLine& line, Cycle at);
  void finish_if_done(int number, Cycle now);

  const TileCopyParams params_;
  const ClusterParams cluster_;
  const int line_bytes_;
  const int sector_bytes_;
  const std::uint16_t sm_;
  DataPath& path_;  ///< taken by boxes that are stored or put
  PeerPort& port_;
  DataPath fills_;  ///< taken by what arrives
  CompletionQueue& told_;
  MemoryCounters& counters_;
  Observer* observer_ = nullptr;
  std::vector<Copy> copies_;
  std::deque<int> waiting_;  ///< copies that still have lines to request, in order
  Cycle next_request_ = 0;
  bool waits_for_turn_ = false;  ///< a token will report the port's turn
  int bytes_in_flight_ = 0;
  int under_way_ = 0;          ///< copies in flight
  int lines_for_cluster_ = 0;  ///< lines requested and not yet answered
  Cycle last_store_done_ = 0;
  std::vector<memory::LineRequest> requests_;
};

}  // namespace tcsim::sm
