#include "sim/gpu/sampler.hpp"

#include <cmath>
#include <utility>

#include "sim/gpu/warming.hpp"

namespace tcsim::gpu {
namespace {

/// Between two looks: an iteration of a loop around MMAs takes some hundred cycles.
constexpr Cycle kLookCycles = 256;

}  // namespace

Sampler::Sampler(const SamplingOptions& options, Cycle origin,
                 const std::vector<std::unique_ptr<sm::Sm>>& sms, memory::MemorySystem& memory,
                 CtaScheduler& scheduler, const stats::Group& root, double dram_bytes_per_cycle,
                 const std::function<bool()>& keep_going)
    : options_(options),
      origin_(origin),
      scheduler_(scheduler),
      due_(origin + kLookCycles),
      counters_(root, memory.burst_bytes()),
      log_(options, counters_),
      loops_(options, sms, memory, counters_, log_, keep_going),
      grids_(sms, memory, scheduler, counters_, log_, dram_bytes_per_cycle, keep_going) {}

void Sampler::look() {
  const Cycle simulated = due_ - origin_;
  due_ += kLookCycles;
  end_kernels();
  scheduler_.count_gaps(ended_, [&] {
    try {
      loops_.look(simulated);
      if (!loops_.has_open_gap() && grids_.look(simulated)) loops_.begin_anew(simulated);
    } catch (const WarmingStopped&) {  // NOLINT(bugprone-empty-catch): there is no gap
    }
  });
  if (options_.gives_up && std::exchange(gaps_, log_.gaps()) < log_.gaps())
    has_given_up_ = has_given_up_ || log_.is_too_wide(log_.mark(simulated));
}

void Sampler::end_kernels() {
  const std::vector<KernelSpan>& spans = scheduler_.spans();
  for (; ended_ < spans.size() && spans[ended_].end > 0; ++ended_) {
    close_gaps(spans[ended_].end - origin_);
    log_.end_kernel(spans[ended_].end - origin_);
  }
}

void Sampler::finish() {
  end_kernels();
  close_gaps(due_ - kLookCycles - origin_);
}

Cycle Sampler::open_cycles() const {
  return std::llround(loops_.open_cycles() + grids_.open_cycles());
}

void Sampler::close_gaps(Cycle simulated) {
  scheduler_.count_gaps(ended_, [&] {
    loops_.begin_anew(simulated);
    grids_.finish(simulated);
  });
}

}  // namespace tcsim::gpu
