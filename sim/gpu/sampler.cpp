#include "sim/gpu/sampler.hpp"

#include "sim/gpu/warming.hpp"

namespace tcsim::gpu {
namespace {

/// Between two looks: an iteration of a loop around MMAs takes some hundred cycles.
constexpr Cycle kLookCycles = 256;

}  // namespace

Sampler::Sampler(const SamplingOptions& options, Cycle origin,
                 const std::vector<std::unique_ptr<sm::Sm>>& sms, memory::MemorySystem& memory,
                 CtaScheduler& scheduler, const stats::Group& root,
                 const std::function<bool()>& keep_going)
    : origin_(origin),
      due_(origin + kLookCycles),
      counters_(root),
      log_(options, counters_),
      loops_(options, sms, memory, counters_, log_, keep_going),
      grids_(sms, memory, scheduler, log_, keep_going) {}

void Sampler::look() {
  const Cycle simulated = due_ - origin_;
  due_ += kLookCycles;
  try {
    loops_.look(simulated);
    if (!loops_.has_open_gap() && grids_.look(simulated)) loops_.begin_anew(simulated);
  } catch (const WarmingStopped&) {  // NOLINT(bugprone-empty-catch): there is no gap
  }
}

void Sampler::finish() {
  const Cycle simulated = due_ - kLookCycles - origin_;
  loops_.begin_anew(simulated);
  grids_.finish(simulated);
}

}  // namespace tcsim::gpu
