#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/memory/line_request.hpp"
#include "models/sm/instruction_fetch.hpp"
#include "models/sm/params.hpp"
#include "models/sm/warp.hpp"
#include "models/stats/stats.hpp"

namespace tcsim::sm {

/// Instructions for the warps of an SM: which lines of code they need next, who waits for one, and
/// the reads that leave the SM for it.
class CodeSupply {
 public:
  CodeSupply(const SmParams& params, int sm, stats::Group& parent);

  /// The caches of code, which hold constants, too.
  InstructionFetch& caches() { return fetch_; }
  /// True where instructions are always there: then nothing below may be called.
  bool is_perfect() const { return fetch_.is_perfect(); }

  /// Asks for the line of the next instruction of `warp`, `from_start` or where it enters one, and
  /// for the line into which the instructions behind it reach that the warp fetches ahead. Either
  /// the warp waits for its code, or its stall lasts until that is there.
  void fetch(Warp& warp, Cycle now, bool from_start);

  /// `line`, which the caches have just got, goes to the warps that wait for it; calls
  /// `supplied(warp)` for every warp that waited for code, which may do so again.
  template <typename Supplied>
  void arrived(std::uint32_t line, Cycle now, Supplied supplied) {
    for (Warp* const warp : std::exchange(waiting_, {})) {
      if (line_of(*warp, warp->pc()) == line) fetch_.deliver(warp->sub_core, line, now);
      fetch(*warp, now, /*from_start=*/true);
      supplied(*warp);
    }
  }

  /// Requests made since the owner last took them, in order of their cycle.
  std::vector<memory::LineRequest>& requests() { return fetch_.requests(); }
  bool has_requests() const { return fetch_.has_requests(); }

 private:
  std::uint32_t line_of(const Warp& warp, int instruction) const {
    return warp.program->first_line +
           static_cast<std::uint32_t>(instruction / params_.instructions_per_line);
  }

  const InstructionFetchParams params_;
  InstructionFetch fetch_;
  std::vector<Warp*> waiting_;
};

}  // namespace tcsim::sm
