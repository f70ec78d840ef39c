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

/// Bytes of global memory, one after the other.
struct ByteRange {
  std::uint64_t begin;
  std::uint64_t end;
};

/// A box that a warp asks for.
struct IssuedBox {
  std::vector<ByteRange> rows;  ///< of global memory, as far as they lie inside its tensor
  int bytes = 0;                ///< of all of it
  /// Of its lines: all but kAtomic.
  memory::LineAccess access{};
  /// kRead: all bytes are in shared memory; kWrite, kReduction: they have been read there.
  CompletionToken done;
  /// Loads to CTAs of a cluster: bit r: that of rank r; 0: to the own CTA alone. `done` is unused:
  /// each CTA is told of each line (LineForCta).
  std::uint16_t ranks = 0;
  std::uint16_t cluster = 0;  ///< its number
  int barrier = 0;            ///< byte of the mbarrier in shared memory
  /// Puts: of the CTA of `cluster` to whose shared memory the bytes go, and where `barrier` is;
  /// `access` and `done` are unused.
  std::optional<std::int64_t> put_rank{};
  IssueId id;
};

/// A line of a box, as far as it lies inside its tensor.
struct BoxLine {
  std::uint64_t address;
  std::uint16_t bytes;
  std::uint8_t sectors;
  std::uint8_t partial;  ///< sectors of which the box holds only some bytes
};

/// Puts the lines of `box` into `lines`, row by row.
void cut(const IssuedBox& box, int line_bytes, int sector_bytes, std::vector<BoxLine>& lines);

/// What a box consists of inside its tensor.
struct BoxLines {
  int lines = 0;
  int bytes = 0;
};

/// A line of a box that was read for several CTAs, as one of them gets it.
struct LineForCta {
  std::uint16_t cluster = 0;
  int rank = 0;        ///< of the CTA
  bool lands = false;  ///< the line is for it
  bool asked = false;  ///< it has asked for the box
  int barrier = 0;     ///< byte of its mbarrier
  int bytes = 0;
};

/// The unit of an SM that copies boxes of tensors, and bytes in a row, between global and shared
/// memory, past the L1 (TMA): one box after the other, a line of the box in each request, so many
/// bytes of reads under way at once. What lies outside the tensor costs nothing. Data of reads take
/// the SM's data path into shared memory as they come, those of writes as they leave. Reductions
/// leave as writes do, with the FP32 words of their lines alone, and are carried out and answered
/// as RED's are. Prefetches ask the L2 for their lines, of which no data come back. Puts go to
/// other SMs as stores of the cluster do, ClusterParams::put_bytes at a time: a piece takes the
/// data path and leaves when the port has its turn, and comes to the mbarrier there when it is in
/// shared memory.
class TileCopies {
 public:
  /// Of SM `sm`. The others outlive this object.
  TileCopies(SmParams params, int sm, DataPath& path, PeerPort& port, CompletionQueue& told,
             MemoryCounters& counters);

  /// From now on `observer`, which must outlive this object, hears when boxes are there.
  void attach(Observer& observer) { observer_ = &observer; }
  BoxLines start(const IssuedBox& box, Cycle now);
  /// The answer to a request has come: AnswerKind::kTile.
  void receive(const AnswerTag& tag, Cycle now);
  /// The line of which an answer tells: AnswerKind::kClusterLine.
  static LineForCta line_for_cta(const AnswerTag& tag, const memory::ClusterFlag& flag);
  /// The line comes; `done` is told when it is in shared memory.
  void receive(const LineForCta& line, CompletionToken done, Cycle now);
  /// The port has its turn for a piece of a put, of which a token has told.
  void go_on_putting(Cycle now);
  /// A piece of put `number` has come to the other SM.
  void put_is_done(int number, Cycle now);

  /// Requests made since the owner last took them, in order of their cycle.
  std::vector<memory::LineRequest>& requests() { return requests_; }
  [[nodiscard]] const std::vector<memory::LineRequest>& requests() const { return requests_; }
  [[nodiscard]] bool is_idle() const { return under_way_ == 0 && lines_for_cluster_ == 0; }
  [[nodiscard]] bool has_stores_under_way() const { return stores_under_way_ != 0; }
  [[nodiscard]] Cycle last_store_done() const { return last_store_done_; }

 private:
  struct Copy {
    std::vector<BoxLine> lines;
    std::size_t next = 0;  ///< line to be asked for
    std::size_t unanswered = 0;
    memory::LineAccess access{};             ///< of IssuedBox
    std::optional<std::int64_t> put_rank{};  ///< the same
    int put_left = 0;                        ///< bytes of a put that have not left
    bool is_free = true;
    std::uint16_t ranks = 0;
    std::uint16_t cluster = 0;
    int barrier = 0;
    Cycle from = 0;  ///< its first request at the earliest
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

  const SmParams params_;
  const std::uint16_t sm_;
  DataPath& path_;  ///< which boxes take that are stored
  PeerPort& port_;
  DataPath fills_;
  CompletionQueue& told_;
  MemoryCounters& counters_;
  Observer* observer_ = nullptr;
  std::vector<Copy> copies_;
  std::deque<int> waiting_;  ///< copies with lines to ask for, in order
  Cycle next_request_ = 0;
  bool waits_for_turn_ = false;  ///< a token will tell of the port's turn
  int bytes_in_flight_ = 0;
  int under_way_ = 0;          ///< copies
  int lines_for_cluster_ = 0;  ///< asked for and not answered
  int stores_under_way_ = 0;   ///< lines written or added to and not answered
  Cycle last_store_done_ = 0;
  std::vector<memory::LineRequest> requests_;
};

}  // namespace tcsim::sm
