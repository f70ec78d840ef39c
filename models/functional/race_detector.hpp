#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "models/functional/causal_order.hpp"

namespace tcsim::functional {

/// Two accesses to one byte of shared memory, or of global memory by two CTAs of which one waits
/// for the other (global_order.hpp), at least one of them a write, that nothing orders; or two to a
/// register, one of them by a group MMA.
/// "Between barriers": both warps ran from the same BAR.SYNC to the same next one, and no arrival
/// and wait at mbarriers leads from the earlier to the later access.
enum class RaceKind : std::uint8_t {
  kReadAfterWrite,       ///< Another warp wrote, or waited for its copy, between the same barriers.
  kWriteAfterRead,       ///< Another warp read between the same barriers.
  kWriteAfterWrite,      ///< Another warp wrote between the same barriers.
  kReadOfOpenCopy,       ///< The warp that issued the LDGSTS has not waited for its group.
  kWriteToOpenCopy,      ///< Likewise; also by the issuing warp itself.
  kReadBeforePhase,      ///< UTMALDG wrote, and the reader has not waited for the phase of its
                         ///< mbarrier.
  kMissingFence,         ///< An asynchronous access of what an ordinary store wrote, without
                         ///< FENCE.VIEW.ASYNC in between.
  kAccessBehindEnd,      ///< The CTA may end before a warp of another one, or a copy between two,
                         ///< accesses its memory.
  kWriteToOpenRead,      ///< A group MMA, or a copy by TMA, not waited for, still reads it.
  kGlobalBeforeFlag,     ///< Another CTA stored, and nobody has waited for a flag that it raised.
  kGlobalWithoutFence,   ///< It raised the flag without a MEMBAR behind its store.
  kReadOfOpenSums,       ///< A register that a group MMA, not waited for, writes.
  kMissingGroupFence,    ///< A group MMA uses a register that was written since WARPGROUP.ARRIVE.
  kWriteToOpenRegister,  ///< A register that a group MMA, not waited for, reads or writes.
  kCount,
};

/// Who accessed: a warp of the CTA, or of its cluster, whose warps are numbered CTA by CTA; and the
/// index of the instruction in its program.
struct Accessor {
  int warp = 0;
  int instruction = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 reads a pointer into what is defaulted
  auto operator<=>(const Accessor&) const = default;
};

/// All racing bytes of one CTA with the same kind and the same two instructions of the same warps.
struct Race {
  RaceKind kind = RaceKind::kReadAfterWrite;
  std::int64_t cta = 0;  ///< in order of x, then y, then z
  Accessor earlier;      ///< in the order in which the warps were run here; hardware may differ
  Accessor later;
  /// In shared memory, or of the buffer, of the first one found; or the register.
  std::int64_t byte_offset = 0;
  std::int64_t bytes = 0;  ///< how many times a byte raced

  bool operator==(const Race&) const = default;
};

/// The race as one sentence.
std::string to_string(const Race& race);

/// Watches the shared memory of one CTA, byte by byte. A warp's own accesses are ordered by its
/// program, those of different warps by barriers of the whole CTA, a copy by the wait of the warp
/// that issued it and then as a write at that wait. Every racing pair of accesses with no other
/// write in between is found, whichever warp is run first. With use_clocks() mbarriers order
/// accesses, too: what a warp knows when it arrives, those know that wait for the phase.
class RaceDetector {
 public:
  RaceDetector(std::int64_t cta, int shared_bytes);

  /// The CTA has mbarriers; its warps are those of `order` from `first` on, so many. Call it before
  /// any access. `order` outlives this object.
  void use_clocks(CausalOrder& order, int first, int warps);
  /// Requires use_clocks.
  [[nodiscard]] CausalOrder& order() { return *order_; }

  /// All of these require the range inside shared memory.
  void read(const Accessor& who, std::int64_t offset, int bytes);
  void write(const Accessor& who, std::int64_t offset, int bytes);
  /// An atomic: it races with no other atomic.
  void update(const Accessor& who, std::int64_t offset, int bytes);
  /// An LDGSTS was issued to the range.
  void open_copy(const Accessor& who, std::int64_t offset, int bytes);
  /// The copy that `who` opened is there, a write at time `since` of the warp's clock: time_of(who)
  /// if it has waited for it.
  void close_copy(const Accessor& who, int since, std::int64_t offset, int bytes);
  /// What the clock of the warp shows; 0 without use_clocks().
  [[nodiscard]] int time_of(const Accessor& who) const;
  /// `who` starts to read the range asynchronously, knowing `clock`; or has ended to, which those
  /// know that know of `agent` up to `time`. Requires use_clocks, as all that follow.
  void open_read(const Accessor& who, const Clock& clock, std::int64_t offset, int bytes);
  void close_read(const Accessor& who, int agent, int time, std::int64_t offset, int bytes);
  /// `who` starts to write the range asynchronously, to be complete with phase `phase`, from 0 on,
  /// of the mbarrier `agent`; or all of it has been written.
  void open_write(const Accessor& who, int agent, int phase, std::int64_t offset, int bytes);
  void close_write(std::int64_t offset, int bytes);
  /// `later` reads or writes register `number` of its warp, which `earlier` still uses.
  void touch_register(RaceKind kind, const Accessor& earlier, const Accessor& later, int number) {
    report(kind, earlier, later, number);
  }

  /// An asynchronous access by `who` ends when `agent` has reached `time`.
  void expect_end(const Accessor& who, int agent, int time, std::int64_t offset);
  /// The CTA has ended, `who` being its last warp: what other CTAs have accessed here must have
  /// come before for some warp of it, and so must the ends of accesses that were expected.
  void end(const Accessor& who);
  /// All warps have passed a barrier.
  void pass_barrier() {
    // Warps of other CTAs of the cluster do not pass it: clocks alone tell what came before.
    if (order_ == nullptr || order_->warps() == warps_) ++epoch_;
    if (order_ != nullptr) order_->meet(first_, warps_);
  }

  /// In the order found.
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
    int write_time = 0;        ///< of the agent
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
  void note_access(const Accessor& who, std::int64_t offset);
  static void replace(std::vector<TimedReader>& accesses, const TimedReader& latest);
  void note_updater(Byte& byte, const Accessor& who);
  [[nodiscard]] const Accessor* unordered_updater(const Byte& byte, const Accessor& who) const;
  void begin_readers(Byte& byte);
  void note_reader(Byte& byte, const Accessor& who);
  void note_timed_reader(Byte& byte, const TimedReader& reader);
  void check_fence(const Byte& byte, const Clock& clock, const Accessor& who, std::int64_t offset);
  /// Whose write `who` must not meet yet, or null. With clocks, if it did not come before.
  [[nodiscard]] const Accessor* other_writer(const Byte& byte, const Accessor& who) const;
  [[nodiscard]] RaceKind read_race(const Byte& byte) const;
  void report(RaceKind kind, const Accessor& earlier, const Accessor& later, std::int64_t offset);

  const std::int64_t cta_;
  int epoch_ = 0;
  std::vector<Byte> bytes_;
  CausalOrder* order_ = nullptr;
  int first_ = 0;  ///< of the warps of the CTA in `order_`
  int warps_ = 0;
  std::vector<AsyncByte> async_;                             ///< per byte, with clocks
  std::map<std::size_t, std::vector<TimedReader>> readers_;  ///< beyond two, with clocks
  /// With clocks: the warps whose atomics have followed that of the writer.
  std::map<std::size_t, std::vector<TimedReader>> updaters_;
  struct Visit {
    Accessor who;
    std::int64_t offset = 0;
    int time = 0;
  };
  /// The last access of each warp of another CTA; and what expect_end was told, by its agent.
  std::map<int, Visit> visits_;
  std::vector<Race> races_;
  std::map<std::tuple<RaceKind, Accessor, Accessor>, std::size_t> known_;
};

}  // namespace tcsim::functional
