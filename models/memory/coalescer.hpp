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
/// coalescer"). A read that arrives soon after a read of the same line, and needs no more of the
/// line, joins it, whatever SMs they come from (OWN: 3.9 requests per read of the L2 with eight
/// SMs, which are in eight GPCs). Joined reads do not use the slice's data port. The coalescer
/// tracks a limited number of lines per slice.
class Coalescer {
 public:
  /// What the answer to a read needs to know about it.
  struct Member {
    Cycle at = 0;  ///< arrival of the read
    std::uint32_t tag = 0;
    std::uint16_t sm = 0;
    std::uint8_t sectors = 0;
    std::uint16_t ranks = 0;  ///< see LineRequest
    std::uint16_t cluster = 0;
  };

  static constexpr Cycle kUnknown = -1;

  /// Requires 1 to 32767 entries. A read can be joined for `window` cycles after its arrival.
  Coalescer(int entries, int merges, Cycle window, int slices, stats::Group& parent)
      : entries_(static_cast<std::size_t>(entries)),
        merges_(merges),
        window_(window),
        group_("coalescer", parent),
        joined_(group_, "l2_coalesced", "sector",
                "Sectors of reads that joined a read of another SM before the L2."),
        slices_(static_cast<std::size_t>(slices)) {}

  static Member member_of(const LineRequest& read, Cycle now) {
    return {now, read.tag, read.sm, read.sectors, read.ranks, read.cluster};
  }

  /// `read` arrives at `slice` at `now`, for line `line`; `now` must not decrease between calls.
  /// True if it has joined another read; `leaves` is then when that read's answer leaves its slice,
  /// or kUnknown, in which case answered() will return it. Otherwise it may have received an entry
  /// of its own.
  bool join(LineRequest& read, std::uint32_t line, std::size_t slice, Cycle now, Cycle& leaves) {
    Slice& state = slices_[slice];
    const auto place = state.places.find(line);
    if (place && !state.pool[*place].has_left(now)) {
      Entry& entry = state.pool[*place];
      const bool holds_all = (read.sectors & ~entry.sectors) == 0;
      if (holds_all && entry.answers < merges_ && now <= entry.came + window_) {
        ++entry.answers;
        joined_.add(static_cast<std::uint64_t>(std::popcount(read.sectors)));
        leaves = entry.leaves;
        if (leaves == kUnknown) entry.members.push_back(member_of(read, now));
        return true;
      }
    }
    make_room(state, now);
    if (!state.free.empty()) read.entry = add(state, line, read.sectors, now);
    return false;
  }

  /// The answer to the read with `entry` of `slice` leaves at `leaves`. Returns the reads that have
  /// joined it so far, valid until the next call.
  const std::vector<Member>& answered(std::size_t slice, std::uint16_t entry, Cycle leaves) {
    Entry& answered = slices_[slice].pool[entry];
    answered.leaves = leaves;
    return answered.members;
  }

 private:
  static constexpr std::size_t kFirstEntries = 64;

  struct Entry {
    std::uint32_t line = 0;
    Cycle came = 0;
    Cycle leaves = kUnknown;
    int answers = 1;
    std::uint8_t sectors = 0;
    std::vector<Member> members;

    [[nodiscard]] bool has_left(Cycle now) const { return leaves != kUnknown && leaves <= now; }
  };
  /// Entries whose answers have left stay until no entry is free.
  struct Slice {
    std::vector<Entry> pool;
    std::vector<std::uint16_t> free;  ///< free places of the pool
    LineTable places;                 ///< the latest entry of each line, and some whose answers
                                      ///< have left
  };

  /// Requires a free entry.
  static std::uint16_t add(Slice& state, std::uint32_t line, std::uint8_t sectors, Cycle now) {
    const std::uint16_t place = state.free.back();
    state.free.pop_back();
    Entry& entry = state.pool[place];
    entry.line = line;
    entry.came = now;
    entry.leaves = kUnknown;
    entry.answers = 1;
    entry.sectors = sectors;
    entry.members.clear();
    state.places.put(line, place);
    return place;
  }

  /// If no entry is free, frees those whose answers have left by `now`. If these are fewer than
  /// half, doubles the number of entries, up to the limit.
  void make_room(Slice& state, Cycle now) const {
    if (!state.free.empty()) return;
    std::vector<std::uint16_t> latest;  // the latest entries of their lines
    for (std::size_t i = 0; i < state.pool.size(); ++i) {
      const auto place = static_cast<std::uint16_t>(i);
      if (state.pool[i].has_left(now))
        state.free.push_back(place);
      else if (state.places.find(state.pool[i].line) == place)
        latest.push_back(place);
    }
    state.places.clear();
    for (const std::uint16_t place : latest) state.places.put(state.pool[place].line, place);
    if (2 * state.free.size() >= state.pool.size() && !state.pool.empty()) return;
    const std::size_t size = std::min(entries_, std::max(kFirstEntries, 2 * state.pool.size()));
    for (std::size_t place = state.pool.size(); place < size; ++place)
      state.free.push_back(static_cast<std::uint16_t>(place));
    state.pool.resize(size);
  }

  const std::size_t entries_;
  const int merges_;
  const Cycle window_;
  stats::Group group_;
  stats::Counter joined_;
  std::vector<Slice> slices_;
};

}  // namespace tcsim::memory
