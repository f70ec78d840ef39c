#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "models/functional/causal_order.hpp"
#include "models/isa/launch.hpp"

namespace tcsim::functional {

/// A race: two accesses to the same byte, at least one of them a write, with no order between them.
/// The byte is in shared memory, or in global memory with accesses by two CTAs of which one waits
/// for the other (global_order.hpp). Or two accesses to a register, one of them by a group MMA.
/// "Between barriers": both warps ran from the same BAR.SYNC to the same next one, and no arrival
/// and wait at mbarriers leads from the earlier to the later access.
enum class RaceKind : std::uint8_t {
  kReadAfterWrite,       ///< Another warp wrote, or waited for its copy, between the same barriers.
  kWriteAfterRead,       ///< Another warp read between the same barriers.
  kWriteAfterWrite,      ///< Another warp wrote between the same barriers.
  kReadOfOpenCopy,       ///< The warp that issued the LDGSTS has not waited for its group.
  kWriteToOpenCopy,      ///< The same; also by the issuing warp itself.
  kReadBeforePhase,      ///< UTMALDG wrote, and the reader has not waited for the phase of its
                         ///< mbarrier.
  kMissingFence,         ///< An asynchronous access to what an ordinary store wrote, without
                         ///< FENCE.VIEW.ASYNC in between.
  kAccessBehindEnd,      ///< The CTA may end before a warp of another CTA, or a copy between the
                         ///< two, accesses its memory.
  kWriteToOpenRead,      ///< A group MMA or a TMA copy that has not been waited for still reads it.
  kGlobalBeforeFlag,     ///< Another CTA stored, and no warp has waited for a flag that it raised.
  kGlobalWithoutFence,   ///< The other CTA raised the flag without a MEMBAR after its store.
  kReadOfOpenSums,       ///< Reads a register that a group MMA, not yet waited for, writes.
  kMissingGroupFence,    ///< A group MMA reads a register that was written since WARPGROUP.ARRIVE,
                         ///< or its sums were read or written since then.
  kWriteToOpenRegister,  ///< Writes a register that a group MMA, not waited for, reads or writes.
  kNoGroupFence,         ///< A group MMA of a warp that has not passed a WARPGROUP.ARRIVE; it is
                         ///< the earlier access too.
  kCount,
};

/// Who made the access: a warp of the CTA, or of its cluster, whose warps are numbered CTA by CTA;
/// and the index of the instruction in its program.
struct Accessor {
  int warp = 0;
  int instruction = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 reads a pointer into what is defaulted
  auto operator<=>(const Accessor&) const = default;
};

/// All racing bytes of one CTA with the same kind and the same pair of instructions of the same
/// warps.
struct Race {
  RaceKind kind = RaceKind::kReadAfterWrite;
  std::int64_t cta = 0;  ///< in order of x, then y, then z
  Accessor earlier;      ///< in the order in which the warps were run here; hardware may differ
  Accessor later;
  /// Offset of the first racing byte found, in shared memory or in the buffer; or the register
  /// number.
  std::int64_t byte_offset = 0;
  std::int64_t bytes = 0;   ///< number of times that a byte raced
  std::int64_t launch = 0;  ///< position in the stream

  bool operator==(const Race&) const = default;
};

/// The race as one sentence.
std::string to_string(const Race& race);
/// The same with the mnemonics, and the CTAs of warps of other CTAs of the cluster. `launch` is the
/// one that races.
std::string to_string(const Race& race, const isa::KernelLaunch& launch);

/// Watches the shared memory of one CTA, byte by byte. The accesses of one warp are ordered by its
/// program, those of different warps by barriers of the whole CTA. A copy is ordered by the wait of
/// the warp that issued it, and then counts as a write at that wait. Every racing pair of accesses
/// with no other write in between is found, whichever warp is run first. With use_clocks()
/// mbarriers also order accesses: warps that wait for a phase learn what the arriving warps knew.
class RaceDetector {
 public:
  RaceDetector(std::int64_t cta, int shared_bytes);

  /// Call this if the CTA has mbarriers, before any access. Its warps are the `warps` agents of
  /// `order` from `first` on. `order` outlives this object.
  void use_clocks(CausalOrder& order, int first, int warps);
  /// Requires use_clocks.
  [[nodiscard]] CausalOrder& order() { return *order_; }

  /// All of these require that the range is inside shared memory.
  void read(const Accessor& who, std::int64_t offset, int bytes);
  void write(const Accessor& who, std::int64_t offset, int bytes);
  /// An atomic: it races with no other atomic.
  void update(const Accessor& who, std::int64_t offset, int bytes);
  /// An LDGSTS to the range was issued.
  void open_copy(const Accessor& who, std::int64_t offset, int bytes);
  /// The copy that `who` opened has arrived, as a write at time `since` of the warp's clock: when
  /// it told an mbarrier of the copy, otherwise time_of(who), as the warp has waited for it.
  void close_copy(const Accessor& who, int since, std::int64_t offset, int bytes);
  /// The current clock of the warp; 0 without use_clocks().
  [[nodiscard]] int time_of(const Accessor& who) const;
  /// open_read: `who` starts an asynchronous read of the range, knowing `clock`. close_read: that
  /// read has ended, as known to those who know of `agent` up to `time`. Both, and all that follow,
  /// require use_clocks().
  void open_read(const Accessor& who, const Clock& clock, std::int64_t offset, int bytes);
  void close_read(const Accessor& who, int agent, int time, std::int64_t offset, int bytes);
  /// open_write: `who` starts an asynchronous write of the range, which completes with phase
  /// `phase` (from 0) of the mbarrier `agent`. close_write: all of it has been written.
  void open_write(const Accessor& who, int agent, int phase, std::int64_t offset, int bytes);
  void close_write(std::int64_t offset, int bytes);
  /// `who` starts an asynchronous access that uses the mbarrier in the range, a read, until `agent`
  /// reaches `time`. That is its end: a CTA need not be told of it by `who`.
  void read_until(const Accessor& who, int agent, int time, std::int64_t offset, int bytes);
  /// `later` accesses register `number` of its warp, which `earlier` still uses.
  void touch_register(RaceKind kind, const Accessor& earlier, const Accessor& later, int number) {
    report(kind, earlier, later, number);
  }

  /// An asynchronous access by `who` ends when `agent` reaches `time`.
  void expect_end(const Accessor& who, int agent, int time, std::int64_t offset);
  /// The CTA has ended; `who` is its last warp. Accesses here by other CTAs must have happened
  /// before for some warp of this CTA, and so must the expected ends of accesses.
  void end(const Accessor& who);
  /// All warps of the CTA have passed a barrier.
  void pass_barrier() {
    // Warps of other CTAs of the cluster do not pass it: only clocks tell what came before.
    if (order_ == nullptr || order_->warps() == warps_) ++epoch_;
    if (order_ != nullptr) order_->meet(first_, warps_);
  }

  /// In the order in which they were found.
  [[nodiscard]] const std::vector<Race>& races() const { return races_; }

 private:
  static constexpr int kNever = -1;

  struct Byte {
    int write_epoch = kNever;
    Accessor writer;
    bool by_atomic = false;     ///< so it was written in write_epoch,
    bool by_two_warps = false;  ///< by `other_writer` of another warp too.
    Accessor other_writer;
    int read_epoch = kNever;
    int readers = 0;  ///< Different warps that read in read_epoch: 0, 1, or 2 for more.
    std::array<Accessor, 2> reader;
    int open_copies = 0;
  };

  /// What clocks add to a byte.
  struct AsyncByte {
    int write_agent = kNever;  ///< an mbarrier, or kNever: the warp of the writer
    int write_time = 0;        ///< on the clock of the agent
    std::array<int, 2> read_agent{};
    std::array<int, 2> read_time{};
    int open_reads = 0;
    Accessor open_reader;
  };
  struct TimedReader {
    Accessor who;
    int agent;
    int time;
  };

  std::size_t index_of(const Byte& byte) const {
    return static_cast<std::size_t>(&byte - bytes_.data());
  }
  void claim(Byte& byte, const Accessor& who, std::int64_t offset);
  void own(Byte& byte, const Accessor& who, int since);
  void check_open_and_readers(const Byte& byte, const Accessor& who, std::int64_t offset);
  void check_reader(const TimedReader& reader, const Accessor& who, std::int64_t offset);
  void check_writer(const Byte& byte, const Accessor& who, std::int64_t offset);
  void note_access(const Accessor& who, std::int64_t offset);
  static void replace(std::vector<TimedReader>& accesses, const TimedReader& latest);
  void note_updater(Byte& byte, const Accessor& who);
  [[nodiscard]] const Accessor* unordered_updater(const Byte& byte, const Accessor& who) const;
  void begin_readers(Byte& byte);
  void note_reader(Byte& byte, const Accessor& who);
  void note_timed_reader(Byte& byte, const TimedReader& reader);
  void check_fence(const Byte& byte, const Clock& clock, const Accessor& who, std::int64_t offset);
  /// The write that `who` races with, or null. With clocks: a write that did not happen before.
  [[nodiscard]] const Accessor* other_writer(const Byte& byte, const Accessor& who) const;
  [[nodiscard]] RaceKind read_race(const Byte& byte) const;
  void report(RaceKind kind, const Accessor& earlier, const Accessor& later, std::int64_t offset);

  const std::int64_t cta_;
  int epoch_ = 0;
  std::vector<Byte> bytes_;
  CausalOrder* order_ = nullptr;
  int first_ = 0;  ///< first agent in `order_` of the CTA's warps
  int warps_ = 0;
  std::vector<AsyncByte> async_;                             ///< per byte, with clocks
  std::map<std::size_t, std::vector<TimedReader>> readers_;  ///< beyond the first two, with clocks
  /// With clocks: warps whose atomics followed that of the writer.
  std::map<std::size_t, std::vector<TimedReader>> updaters_;
  struct Visit {
    Accessor who;
    std::int64_t offset = 0;
    int time = 0;
  };
  /// The last access of each warp of another CTA, and the ends passed to expect_end, by agent.
  std::map<int, Visit> visits_;
  std::vector<Race> races_;
  std::map<std::tuple<RaceKind, Accessor, Accessor>, std::size_t> known_;
};

}  // namespace tcsim::functional
