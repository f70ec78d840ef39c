#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace tcsim::functional {

/// Two accesses to one byte of shared memory, at least one of them a write, that nothing orders.
/// "Between barriers": both warps ran from the same BAR.SYNC to the same next one.
enum class RaceKind : std::uint8_t {
  kReadAfterWrite,   ///< Another warp wrote, or waited for its copy, between the same barriers.
  kWriteAfterRead,   ///< Another warp read between the same barriers.
  kWriteAfterWrite,  ///< Another warp wrote between the same barriers.
  kReadOfOpenCopy,   ///< The warp that issued the LDGSTS has not waited for its group.
  kWriteToOpenCopy,  ///< Likewise; also by the issuing warp itself.
};

/// Who accessed: a warp of the CTA and the index of the instruction in its program.
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
  std::int64_t byte_offset = 0;  ///< in shared memory, of the first one found
  std::int64_t bytes = 0;        ///< how many times a byte raced

  bool operator==(const Race&) const = default;
};

/// The race as one sentence.
std::string to_string(const Race& race);

/// Watches the shared memory of one CTA, byte by byte. A warp's own accesses are ordered by its
/// program, those of different warps by barriers of the whole CTA, a copy by the wait of the warp
/// that issued it and then as a write at that wait. Every racing pair of accesses with no other
/// write in between is found, whichever warp is run first.
class RaceDetector {
 public:
  RaceDetector(std::int64_t cta, int shared_bytes);

  /// All of these require the range inside shared memory.
  void read(const Accessor& who, std::int64_t offset, int bytes);
  void write(const Accessor& who, std::int64_t offset, int bytes);
  /// An atomic: it races with no other atomic.
  void update(const Accessor& who, std::int64_t offset, int bytes);
  /// An LDGSTS was issued to the range.
  void open_copy(const Accessor& who, std::int64_t offset, int bytes);
  /// The issuing warp has waited for the copy that `who` opened.
  void close_copy(const Accessor& who, std::int64_t offset, int bytes);
  /// All warps have passed a barrier.
  void pass_barrier() { ++epoch_; }

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

  void claim(Byte& byte, const Accessor& who, std::int64_t offset);
  void check_open_and_readers(const Byte& byte, const Accessor& who, std::int64_t offset);
  /// Who else than the warp of `who` wrote the byte since the last barrier, or null.
  [[nodiscard]] const Accessor* other_writer(const Byte& byte, const Accessor& who) const;
  void report(RaceKind kind, const Accessor& earlier, const Accessor& later, std::int64_t offset);

  const std::int64_t cta_;
  int epoch_ = 0;
  std::vector<Byte> bytes_;
  std::vector<Race> races_;
  std::map<std::tuple<RaceKind, Accessor, Accessor>, std::size_t> known_;
};

}  // namespace tcsim::functional
