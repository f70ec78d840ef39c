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

/// Supplies the warps of an SM with instructions: tracks which code lines they need next, which
/// warps wait for a line, and the reads that leave the SM.
class CodeSupply {
 public:
  CodeSupply(const SmParams& params, int sm, stats::Group& parent);

  /// The code caches, which also hold constants.
  InstructionFetch& caches() { return fetch_; }
  /// True where instructions are always present; then nothing below may be called.
  bool is_perfect() const { return fetch_.is_perfect(); }

  /// Requests the line of the next instruction of `warp`, if `from_start` or if that instruction
  /// starts a line. Also requests the line that the warp's fetch-ahead reaches. The warp either
  /// waits for its code, or its stall is extended until the code is there.
  void fetch(Warp& warp, Cycle now, bool from_start);

  /// Delivers `line`, which has just arrived in the caches, to the warps that wait for it, and
  /// calls `supplied(warp)` for each of them. The others go on waiting without asking again: their
  /// reads are under way, and in caches of a few lines more reads would delay them without end.
  template <typename Supplied>
  void arrived(std::uint32_t line, Cycle now, Supplied supplied) {
    for (Warp* const warp : std::exchange(waiting_, {})) {
      if (line_of(*warp, warp->pc()) != line) {
        waiting_.push_back(warp);
        continue;
      }
      fetch_.deliver(warp->sub_core, line, now);
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
