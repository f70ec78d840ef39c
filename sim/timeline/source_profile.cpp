#include "sim/timeline/source_profile.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <numeric>
#include <utility>

#include "models/isa/opcode.hpp"
#include "sim/timeline/recorder.hpp"

namespace tcsim::timeline {
namespace {

using sm::CycleReason;

/// True for LDS, STS, LDSM, STSM and ATOMS; operations on other CTAs' shared memory have generic
/// addresses and count as global memory.
bool is_shared_memory(isa::Opcode opcode) {
  const isa::Effect effect = isa::opcode_info(opcode).effect;
  return effect == isa::Effect::kLoadShared || effect == isa::Effect::kStoreShared ||
         isa::moves_matrices(effect) || effect == isa::Effect::kAtomicShared;
}

/// Of what has to be over before an instruction with `effect` can ask for its pipe.
Stall stall_of(CycleReason reason, isa::Effect effect) {
  switch (reason) {
    case CycleReason::kDependenceShared:
      return Stall::kShortScoreboard;
    case CycleReason::kDependenceGlobal:
    case CycleReason::kCopyWait:
      return Stall::kLongScoreboard;
    case CycleReason::kTensorPipeBusy:
      return effect == isa::Effect::kWaitGroupMmas ? Stall::kGmma : Stall::kMathPipeThrottle;
    case CycleReason::kOtherPipeBusy:
      return Stall::kMathPipeThrottle;
    case CycleReason::kRegisterPort:
      return Stall::kDispatch;
    case CycleReason::kMemoryQueueFull:
      return Stall::kMioThrottle;
    case CycleReason::kBarrier:
      return Stall::kBarrier;
    case CycleReason::kInstructionFetch:
    case CycleReason::kLaunch:
    case CycleReason::kDrain:
    case CycleReason::kNoWarp:
      return Stall::kNoCode;
    case CycleReason::kConstant:
      return Stall::kImcMiss;
    default:
      return Stall::kWait;
  }
}

/// Of a pipe, or its queue, that takes no instruction.
Stall throttle_of(isa::Opcode opcode) {
  if (isa::opcode_info(opcode).pipe != isa::Pipe::kMemory) return Stall::kMathPipeThrottle;
  return is_shared_memory(opcode) ? Stall::kMioThrottle : Stall::kLgThrottle;
}

std::vector<SourceLine> lines_of(InstructionTexts texts) {
  std::vector<SourceLine> lines;
  for (std::size_t program = 0; program < texts.size(); ++program)
    for (std::size_t i = 0; i < texts[program].size(); ++i)
      lines.push_back(
          {static_cast<int>(program), static_cast<int>(i), std::move(texts[program][i])});
  return lines;
}

bool same_code(const std::vector<SourceLine>& a, const std::vector<SourceLine>& b) {
  return std::ranges::equal(a, b, [](const SourceLine& one, const SourceLine& other) {
    return one.program == other.program && one.text == other.text;
  });
}

}  // namespace

std::string_view stall_name(Stall stall) {
  static constexpr std::array<std::string_view, kStallCount> kNames{
      "wait",    "short_scoreboard", "long_scoreboard", "math_pipe_throttle",
      "gmma",    "mio_throttle",     "lg_throttle",     "dispatch_stall",
      "barrier", "no_instruction",   "imc_miss",        "not_selected"};
  return kNames[static_cast<std::size_t>(stall)];
}

std::uint64_t SourceLine::stalled() const {
  return std::accumulate(stalls.begin(), stalls.end(), std::uint64_t{0});
}

class SourceProfile::OfSm : public sm::Observer {
 public:
  explicit OfSm(SourceProfile& profile) : profile_(profile) {}

  void begin_kernel(const sm::Kernel& kernel) override {
    kernel_ = &kernel;
    counted_ = profile_.place_of(kernel);
    for (std::deque<Access>& accesses : accesses_) accesses.clear();
    starts_.clear();
    std::size_t start = 0;
    for (const isa::WarpProgram& program : kernel.launch().programs) {
      starts_.push_back(start);
      start += program.instructions.size();
    }
  }

  void started(const sm::Warp& warp, Cycle at) override {
    if (warp.slot >= since_.size()) {
      since_.resize(warp.slot + std::size_t{1});
      accesses_.resize(since_.size());
    }
    since_[warp.slot] = at;
  }

  void issued(const sm::Warp& warp, const sm::IssueWait& wait, Cycle now) override {
    const std::size_t index = line_of(warp);
    SourceLine& line = lines()[index];
    ++line.issued;
    note_access(warp, now, index);
    line.lanes += static_cast<std::uint64_t>(std::popcount(warp.lanes));
    Cycle at = std::min(std::exchange(since_[warp.slot], now + 1), now);
    const auto charge = [&](Stall stall, Cycle until) {
      until = std::min(until, now);
      if (until <= at) return;
      line.stalls[static_cast<std::size_t>(stall)] += until - at;
      at = until;
    };
    const sm::DecodedInstruction& next = warp.next();
    const bool is_tensor = isa::opcode_info(next.opcode).pipe == isa::Pipe::kTensor;
    const Cycle taken = std::max(wait.pipe_free, wait.queue_free);
    // A stall that the assembler planned for the interval of the tensor pipe is that pipe's.
    if (is_tensor && wait.ready_reason == CycleReason::kDependenceFixed &&
        wait.pipe_free >= wait.ready)
      charge(Stall::kMathPipeThrottle, wait.pipe_free);
    charge(stall_of(wait.ready_reason, next.effect), wait.ready);
    charge(throttle_of(next.opcode),
           isa::opcode_info(next.opcode).pipe == isa::Pipe::kMemory ? taken : wait.pipe_free);
    if (wait.port_refused) charge(Stall::kDispatch, now);
    charge(Stall::kNotSelected, now);
  }

  void entered_memory(sm::IssueId instruction, const sm::MemoryEntry& entry) override {
    if (instruction.warp >= accesses_.size()) return;
    std::deque<Access>& accesses = accesses_[instruction.warp];
    while (!accesses.empty() && accesses.front().issue < instruction.issue) accesses.pop_front();
    if (accesses.empty() || accesses.front().issue != instruction.issue) return;
    SourceLine& line = lines()[accesses.front().line];
    line.sectors += static_cast<std::uint64_t>(entry.sectors);
    line.conflicts += static_cast<std::uint64_t>(entry.conflicts);
    accesses.pop_front();
  }
  void completed(sm::IssueId, Cycle) override {}

 private:
  /// A memory instruction that has not entered the memory pipeline.
  struct Access {
    Cycle issue = 0;
    std::size_t line = 0;
  };

  /// Those of a warp enter in the order of their issue. Some have no entry to tell of, such as
  /// copies by TMA: later ones show that.
  void note_access(const sm::Warp& warp, Cycle now, std::size_t line) {
    constexpr std::size_t kMost = 64;  // under way, of a warp
    if (warp.next().pipe != isa::Pipe::kMemory) return;
    std::deque<Access>& accesses = accesses_[warp.slot];
    accesses.push_back({now, line});
    if (accesses.size() > kMost) accesses.pop_front();
  }

  std::vector<SourceLine>& lines() { return profile_.kernels_[counted_].lines; }
  [[nodiscard]] std::size_t line_of(const sm::Warp& warp) const {
    const auto program = static_cast<std::size_t>(program_number_of(*kernel_, warp));
    return starts_[program] + static_cast<std::size_t>(warp.pc());
  }

  SourceProfile& profile_;
  const sm::Kernel* kernel_ = nullptr;
  std::size_t counted_ = 0;                   ///< the kernel under way
  std::vector<std::size_t> starts_;           ///< of its programs among its lines
  std::vector<Cycle> since_;                  ///< by hardware warp
  std::vector<std::deque<Access>> accesses_;  ///< likewise
};

SourceProfile::SourceProfile(std::function<InstructionTexts(const isa::KernelLaunch&)> texts_of)
    : texts_of_(std::move(texts_of)) {}
SourceProfile::~SourceProfile() = default;

sm::Observer* SourceProfile::observer(int sm) {
  std::unique_ptr<OfSm>& found = sms_[sm];
  if (!found) found = std::make_unique<OfSm>(*this);
  return found.get();
}

/// Launches of one run may share only the name.
std::size_t SourceProfile::place_of(const sm::Kernel& kernel) {
  const auto [found, is_new] = places_.try_emplace(&kernel, kernels_.size());
  if (!is_new) return found->second;
  const std::string& name = kernel.launch().name;
  std::vector<SourceLine> lines = lines_of(texts_of_(kernel.launch()));
  const auto known = std::ranges::find_if(kernels_, [&](const SourceKernel& counted) {
    return counted.name == name && same_code(counted.lines, lines);
  });
  found->second = static_cast<std::size_t>(known - kernels_.begin());
  if (known == kernels_.end()) kernels_.push_back({name, std::move(lines)});
  return found->second;
}

std::vector<SourceKernel> SourceProfile::take() {
  sms_.clear();
  places_.clear();
  return std::exchange(kernels_, {});
}

}  // namespace tcsim::timeline
