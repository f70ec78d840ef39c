#include "models/isa/scheduling/place_stalls.hpp"

#include <algorithm>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/isa/scheduling/hazards.hpp"

namespace tcsim::isa {
namespace {

/// Cycles between the instructions of a program, not yet split into fields of at most 15.
struct Gaps {
  std::vector<Cycle> after;   ///< from each instruction to the next one issued
  std::vector<Cycle> before;  ///< further cycles, only when the loop that ends right before is left
};

class GapSearch {
 public:
  GapSearch(const WarpProgram& program, const LoopMap& loops, const TimingTable& timing)
      : program_(program),
        loops_(loops),
        timing_(timing),
        carried_(program.loops.size(), Hazards(timing)),
        skipped_(program.loops.size(), Hazards(timing)) {}

  Gaps run() {
    for (int pass = 0;; ++pass) {
      if (!walk(pass)) return std::move(gaps_);
    }
  }

 private:
  /// True if a loop carries something else than in the previous walk.
  bool walk(int pass) {
    const std::size_t size = program_.instructions.size();
    gaps_.after.assign(size, 1);
    gaps_.before.assign(size, 0);
    bool changed = false;
    Hazards hazards(timing_);
    Cycle now = 0;
    for (int i = 0; i < static_cast<int>(size); ++i) {
      const Instruction& instruction = program_.instructions[i];
      if (i > 0) now = next(i, now, hazards);
      for (const int loop : loops_.starting_at(i)) hazards.merge(carried_[loop], now);
      hazards.issue(instruction, now);
      // NOPs take no time here, so that the fillers of an earlier assembly change nothing; what
      // their fields finally add only spreads instructions further.
      gaps_.after[i] =
          instruction.opcode == Opcode::kNop ? 0 : smallest_stall(instruction, timing_);
      if (instruction.opcode == Opcode::kBraSkip)
        skipped_[instruction.immediate] = hazards.relative_to(now + gaps_.after[i]);
      if (const int loop = loops_.ending_at(i); loop != kNoIndex) {
        changed = close_loop(loop, i, now, hazards, pass) || changed;
        hazards.merge(skipped_[loop], now + gaps_.after[i]);
      }
    }
    return changed;
  }

  /// The cycle at which instruction `i` issues if its predecessor issued at `now`.
  Cycle next(int i, Cycle now, const Hazards& hazards) {
    const Cycle earliest = hazards.earliest(program_.instructions[i]);
    Cycle& gap = gaps_.after[i - 1];
    if (loops_.ending_at(i - 1) != kNoIndex) {
      gaps_.before[i] = std::max<Cycle>(0, earliest - now - gap);
      return now + gap + gaps_.before[i];
    }
    gap = std::max(gap, earliest - now);
    return now + gap;
  }

  bool close_loop(int loop, int i, Cycle now, const Hazards& hazards, int pass) {
    const Instruction& first = program_.instructions[program_.loops[loop].first];
    gaps_.after[i] = std::max(gaps_.after[i], hazards.earliest(first) - now);
    Hazards left = hazards.relative_to(now + gaps_.after[i]);
    if (pass >= kGrowingPass) left.merge(carried_[loop], 0);
    if (left == carried_[loop]) return false;
    carried_[loop] = left;
    return true;
  }

  const WarpProgram& program_;
  const LoopMap& loops_;
  const TimingTable& timing_;
  std::vector<Hazards> carried_;
  std::vector<Hazards> skipped_;  ///< hazards on the path that skips a loop
  Gaps gaps_;
};

/// Rewrites the instruction list with stall fields, fillers and the loops' new positions.
class FieldWriter {
 public:
  FieldWriter(WarpProgram& program, const LoopMap& loops, const TimingTable& timing,
              const Gaps& gaps)
      : program_(program), loops_(loops), timing_(timing), gaps_(gaps) {}

  void run() {
    const int size = static_cast<int>(program_.instructions.size());
    new_position_.resize(size);
    written_.reserve(program_.instructions.size());
    for (int i = 0; i < size;) {
      write_fillers(gaps_.before[i]);
      i = write_run(i);
    }
    for (Loop& loop : program_.loops) {
      loop.first = new_position_[loop.first];
      loop.last = new_position_[loop.last];
    }
    program_.instructions = std::move(written_);
  }

 private:
  void write_fillers(Cycle cycles) {
    for (; cycles > 0; cycles -= kMaxStall) {
      written_.push_back(filler(static_cast<int>(std::min<Cycle>(cycles, kMaxStall))));
    }
  }

  static Instruction filler(int stall) {
    Instruction nop;
    nop.control.stall = static_cast<std::uint8_t>(stall);
    return nop;
  }

  [[nodiscard]] bool continues_run(int i) const {
    return i < static_cast<int>(program_.instructions.size()) && loops_.starting_at(i).empty() &&
           loops_.ending_at(i - 1) == kNoIndex;
  }

  [[nodiscard]] bool is_branch(int i) const {
    const Opcode opcode = program_.instructions[i].opcode;
    return opcode == Opcode::kBra || opcode == Opcode::kBraSkip;
  }

  /// A run is one instruction, the NOPs after it, and the BRA after these if there is one. Only the
  /// first instruction of a run waits for anything, so only the sum of the run's gaps matters, and
  /// gaps may be moved forward within it.
  int write_run(int first) {
    int end = first + 1;
    while (continues_run(end) && program_.instructions[end].opcode == Opcode::kNop) ++end;
    if (continues_run(end) && is_branch(end)) ++end;
    const bool has_branch = is_branch(end - 1);

    Cycle total = 0;
    Cycle least_total = 0;
    std::vector<int> least;
    for (int i = first; i < end; ++i) {
      total += gaps_.after[i];
      least.push_back(smallest_stall(program_.instructions[i], timing_));
      least_total += least.back();
    }
    total = std::max(total, least_total);
    const auto members = static_cast<Cycle>(least.size());
    const Cycle missing = std::max<Cycle>(0, ceil_div<Cycle>(total, kMaxStall) - members);
    const int filler_at = has_branch ? end - 1 : end;
    least.insert(least.begin() + (filler_at - first), static_cast<std::size_t>(missing), 1);

    Cycle spare = total;
    for (const int stall : least) spare -= stall;
    std::size_t slot = 0;
    const auto take = [&] {
      const int stall = least[slot++];
      const Cycle more = std::min<Cycle>(spare, kMaxStall - stall);
      spare -= more;
      return static_cast<std::uint8_t>(stall + more);
    };
    for (int i = first; i <= end; ++i) {
      if (i == filler_at) {
        for (Cycle n = 0; n < missing; ++n) written_.push_back(filler(take()));
      }
      if (i == end) break;
      new_position_[i] = static_cast<int>(written_.size());
      written_.push_back(program_.instructions[i]);
      written_.back().control.stall = take();
    }
    return end;
  }

  WarpProgram& program_;
  const LoopMap& loops_;
  const TimingTable& timing_;
  const Gaps& gaps_;
  std::vector<int> new_position_;
  std::vector<Instruction> written_;
};

}  // namespace

void place_stalls(WarpProgram& program, const LoopMap& loops, const TimingTable& timing) {
  const Gaps gaps = GapSearch(program, loops, timing).run();
  FieldWriter(program, loops, timing, gaps).run();
}

}  // namespace tcsim::isa
