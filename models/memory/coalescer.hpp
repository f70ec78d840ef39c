#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/line_request.hpp"
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
    forget(state, now);
    const std::uint64_t key = std::uint64_t{line} << 16U | static_cast<std::uint64_t>(gpc);
    if (const auto found = state.places.find(key); found != state.places.end()) {
      Entry& entry = state.pool[found->second];
      const bool holds_all = (read.sectors & ~entry.sectors) == 0;
      if (holds_all && entry.answers < merges_) {
        ++entry.answers;
        joined_.add(static_cast<std::uint64_t>(std::popcount(read.sectors)));
        leaves = entry.leaves;
        if (leaves == kUnknown) entry.members.push_back(member_of(read, now));
        return true;
      }
    }
    if (state.pool.size() - state.free.size() < entries_)
      read.entry = add(state, key, read.sectors);
    return false;
  }

  /// The answer of the read with `entry` of `slice` leaves at `leaves`. Gives back, until the next
  /// call, the reads that have joined it so far.
  const std::vector<Member>& answered(std::size_t slice, std::uint16_t entry, Cycle leaves) {
    Slice& state = slices_[slice];
    state.pool[entry].leaves = leaves;
    state.due.push({leaves, entry});
    return state.pool[entry].members;
  }

 private:
  struct Entry {
    std::uint64_t key = 0;
    Cycle leaves = kUnknown;
    int answers = 1;
    std::uint8_t sectors = 0;
    std::vector<Member> members;
  };
  using Due = std::pair<Cycle, std::uint16_t>;
  struct Slice {
    std::vector<Entry> pool;
    std::vector<std::uint16_t> free;                          ///< places of the pool
    std::unordered_map<std::uint64_t, std::uint16_t> places;  ///< the latest entry of each line
    std::priority_queue<Due, std::vector<Due>, std::greater<>> due;
  };

  static std::uint16_t add(Slice& state, std::uint64_t key, std::uint8_t sectors) {
    if (state.free.empty()) {
      state.free.push_back(static_cast<std::uint16_t>(state.pool.size()));
      state.pool.emplace_back();
    }
    const std::uint16_t place = state.free.back();
    state.free.pop_back();
    Entry& entry = state.pool[place];
    entry.key = key;
    entry.leaves = kUnknown;
    entry.answers = 1;
    entry.sectors = sectors;
    entry.members.clear();
    state.places[key] = place;
    return place;
  }

  /// Entries whose answers have left by `now`.
  static void forget(Slice& state, Cycle now) {
    for (; !state.due.empty() && state.due.top().first <= now; state.due.pop()) {
      const std::uint16_t place = state.due.top().second;
      const auto found = state.places.find(state.pool[place].key);
      if (found != state.places.end() && found->second == place) state.places.erase(found);
      state.free.push_back(place);
    }
  }

  const std::size_t entries_;
  const int merges_;
  stats::Group group_;
  stats::Counter joined_;
  std::vector<Slice> slices_;
};

}  // namespace tcsim::memory
