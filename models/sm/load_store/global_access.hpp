#pragma once

#include <cstdint>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/line_request.hpp"
#include "models/sm/l1_cache.hpp"
#include "models/sm/load_store/answer_tag.hpp"
#include "models/sm/load_store/completion.hpp"
#include "models/sm/load_store/counters.hpp"
#include "models/sm/load_store/data_path.hpp"
#include "models/sm/load_store/operation.hpp"
#include "models/sm/load_store/tag_stage.hpp"
#include "models/sm/load_store/writes_under_way.hpp"
#include "models/sm/params.hpp"

namespace tcsim::sm {

/// The value that a warp has read from a flag buffer.
struct FlagRead {
  std::uint8_t warp = 0;  ///< hardware warp
  std::uint32_t value = 0;
  bool is_taken = false;  ///< read by an atomic
};

/// The way of memory operations to global memory and back: L1 look-ups, misses, reads that bypass
/// the L1, writes through it, and the answers of the memory side.
class GlobalAccess {
 public:
  /// For SM `sm`. The referenced objects outlive this object.
  GlobalAccess(const SmParams& params, int sm, MemoryOperations& operations, DataPath& path,
               MemoryCompletion& completion, MemoryCounters& counters);

  /// The L1 starts empty with `l1_bytes`.
  void begin_kernel(std::int64_t l1_bytes) {
    l1_.configure(l1_bytes, params_.line_bytes, params_.ways);
  }

  /// `operation` has been issued.
  void issued(const MemoryOperation& operation);

  /// The cycle from which `operation` can enter, considering only the L1; kNever if that depends on
  /// what `receive` brings.
  Cycle room_at(const MemoryOperation& operation) const;
  /// Operation `number` enters the pipeline at `now`. Requires room.
  void load(int number, Cycle now);
  void copy(int number, Cycle now);
  /// For stores, reductions, and atomics; atomics bypass the L1 in the same way.
  void write(int number, Cycle now);

  /// Takes data or the answer to a write from the memory side, with `flag` (LineResponse). Requires
  /// a tag kind that no other unit handles.
  void receive(const AnswerTag& tag, std::uint32_t flag, Cycle now);

  std::vector<memory::LineRequest>& requests() { return requests_; }
  const std::vector<memory::LineRequest>& requests() const { return requests_; }
  std::vector<FlagRead>& flag_reads() { return flag_reads_; }
  const WritesUnderWay& writes() const { return writes_; }
  /// True if some posted write has left and has not been answered.
  bool has_stores_under_way() const { return stores_under_way_ != 0; }
  Cycle last_answer() const { return last_answer_; }

 private:
  bool look_up(int number, const LineSectors& line, Cycle at);
  void read_past_cache(int number, const LineSectors& line, Cycle at);
  Cycle leaves_at(Cycle looked_up) const { return looked_up + request_cycles_; }
  memory::LineRequest& send(const LineSectors& line, memory::LineAccess access, std::uint32_t tag,
                            Cycle at);
  void line_arrived(int number, int bytes, Cycle now);
  void copied(const MemoryOperation& operation, Cycle now, Cycle ready);
  void fill_shared(int bytes, Cycle now);

  const L1Params params_;
  const std::uint16_t sm_;
  const Cycle hit_cycles_;      ///< last look-up to the data of a load that hits
  const Cycle request_cycles_;  ///< look-up until the request leaves
  const Cycle return_cycles_;   ///< last line to the data of a load
  MemoryOperations& operations_;
  DataPath& path_;
  MemoryCompletion& completion_;
  MemoryCounters& counters_;
  L1Cache l1_;
  TagStage tags_;
  WritesUnderWay writes_;
  int fill_bytes_ = 0;        ///< arrived for shared memory, but not yet a whole wavefront
  int lines_under_way_ = 0;   ///< lines being read, including those of atomics with a result
  int stores_under_way_ = 0;  ///< lines written and not yet answered
  Cycle last_answer_ = 0;
  std::vector<memory::LineRequest> requests_;
  std::vector<FlagRead> flag_reads_;
};

}  // namespace tcsim::sm
