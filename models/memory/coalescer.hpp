#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/line_request.hpp"
#include "models/memory/line_table.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::memory {

/// The request coalescer between the network and the slices (LRC; Nsight Compute, "L2 request
/// coalescer"): while a read of a line is under way, reads of SMs of the same GPC that want no more
/// of it join it. They take neither the slice's data port nor the GPC's, since the one answer is
/// copied in the GPC (assumption: the copies are made there; NVF26 and FLASHVLA see SMs receive
/// more than their share of the GPC's port). Before each slice it follows so many lines.
class Coalescer {
 public:
  /// A read as far as its answer is concerned.
  struct Member {
    Cycle at = 0;  ///< when it came
    std::uint32_t tag = 0;
    std::uint16_t sm = 0;
    std::uint8_t sectors = 0;
    std::uint16_t ranks = 0;  ///< of LineRequest
    std::uint16_t cluster = 0;
  };

  static constexpr Cycle kUnknown = -1;

  /// Requires 1 to 32767 entries.
  Coalescer(int entries, int merges, int slices, stats::Group& parent)
      : entries_(static_cast<std::size_t>(entries)),
        merges_(merges),
        group_("coalescer", parent),
        joined_(group_, "l2_coalesced", "sector",
                "Sectors of reads that joined a read of another SM before the L2."),
        slices_(static_cast<std::size_t>(slices)) {}

  static Member member_of(const LineRequest& read, Cycle now) {
    return {now, read.tag, read.sm, read.sectors, read.ranks, read.cluster};
  }

  /// `read`, of an SM of GPC `gpc`, comes to `slice` at `now`, which must not go back, for line
  /// `line`. True if it has joined another one; `leaves` is then when the answer of that leaves its
  /// slice, or kUnknown: answered() will give it back. Otherwise it may have got an entry of its
  /// own.
  bool join(LineRequest& read, std::uint32_t line, int gpc, std::size_t slice, Cycle now,
            Cycle& leaves) {
    Slice& state = slices_[slice];
    const std::uint64_t key = std::uint64_t{line} << kGpcBits | static_cast<std::uint64_t>(gpc);
    const auto place = state.places.find(key);
    if (place && !state.pool[*place].has_left(now)) {
      Entry& entry = state.pool[*place];
      const bool holds_all = (read.sectors & ~entry.sectors) == 0;
      if (holds_all && entry.answers < merges_) {
        ++entry.answers;
        joined_.add(static_cast<std::uint64_t>(std::popcount(read.sectors)));
        leaves = entry.leaves;
        if (leaves == kUnknown) entry.members.push_back(member_of(read, now));
        return true;
      }
    }
    make_room(state, now);
    if (!state.free.empty()) read.entry = add(state, key, read.sectors);
    return false;
  }

  /// The answer of the read with `entry` of `slice` leaves at `leaves`. Gives back, until the next
  /// call, the reads that have joined it so far.
  const std::vector<Member>& answered(std::size_t slice, std::uint16_t entry, Cycle leaves) {
    Entry& answered = slices_[slice].pool[entry];
    answered.leaves = leaves;
    return answered.members;
  }

 private:
  static constexpr int kGpcBits = 8;  // of a key, behind the line
  static_assert(32 + kGpcBits <= LineTable::kKeyBits);
  static constexpr std::size_t kFirstEntries = 64;

  struct Entry {
    std::uint64_t key = 0;
    Cycle leaves = kUnknown;
    int answers = 1;
    std::uint8_t sectors = 0;
    std::vector<Member> members;

    [[nodiscard]] bool has_left(Cycle now) const { return leaves != kUnknown && leaves <= now; }
  };
  /// Entries whose answers have left stay until there is no free one.
  struct Slice {
    std::vector<Entry> pool;
    std::vector<std::uint16_t> free;  ///< places of the pool
    LineTable places;                 ///< the latest entry of each line, and some that have left
  };

  /// Requires a free entry.
  static std::uint16_t add(Slice& state, std::uint64_t key, std::uint8_t sectors) {
    const std::uint16_t place = state.free.back();
    state.free.pop_back();
    Entry& entry = state.pool[place];
    entry.key = key;
    entry.leaves = kUnknown;
    entry.answers = 1;
    entry.sectors = sectors;
    entry.members.clear();
    state.places.put(key, place);
    return place;
  }

  /// If no entry is free, frees those whose answers have left by `now`, and makes as many new ones
  /// as there are, as far as there may be, where these are fewer than half.
  void make_room(Slice& state, Cycle now) const {
    if (!state.free.empty()) return;
    std::vector<std::uint16_t> latest;  // of their lines
    for (std::size_t i = 0; i < state.pool.size(); ++i) {
      const auto place = static_cast<std::uint16_t>(i);
      if (state.pool[i].has_left(now))
        state.free.push_back(place);
      else if (state.places.find(state.pool[i].key) == place)
        latest.push_back(place);
    }
    state.places.clear();
    for (const std::uint16_t place : latest) state.places.put(state.pool[place].key, place);
    if (2 * state.free.size() >= state.pool.size() && !state.pool.empty()) return;
    const std::size_t size = std::min(entries_, std::max(kFirstEntries, 2 * state.pool.size()));
    for (std::size_t place = state.pool.size(); place < size; ++place)
      state.free.push_back(static_cast<std::uint16_t>(place));
    state.pool.resize(size);
  }

  const std::size_t entries_;
  const int merges_;
  stats::Group group_;
  stats::Counter joined_;
  std::vector<Slice> slices_;
};

}  // namespace tcsim::memory
