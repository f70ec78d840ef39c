#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "models/sm/sm.hpp"
#include "tests/support/ampere_params.hpp"
#include "tests/support/counters.hpp"
#include "tests/support/program.hpp"

namespace tcsim::sm::test {

using namespace tcsim::test;  // NOLINT: the tests' own vocabulary

inline constexpr Cycle kMemoryLatency = 200;  // of SmBench

/// One SM with a kernel, and a memory side that answers every read `memory_latency` cycles after it
/// left.
class SmBench {
 public:
  static constexpr Cycle kGiveUp = 200'000;

  explicit SmBench(const isa::KernelLaunch& launch, const SmParams& params = ampere_sm(),
                   int cta_slots = 1)
      : sub_cores_(params.sub_cores),
        root_("test"),
        kernel_(launch, params, timing_table(params)),
        sm_(params, 0, root_) {
    sm_.begin_kernel(kernel_, cta_slots, params.l1.bytes / 2, 0, 0);
  }

  /// The latency of a request; a constant unless replaced.
  std::function<Cycle(const memory::LineRequest&)> memory_latency = [](const memory::LineRequest&) {
    return kMemoryLatency;
  };

  void start_cta(std::int64_t x, Cycle at = 0) { sm_.start_cta({{x, 0, 0}}, at); }

  /// Runs to `until`, then answers the requests that left before.
  void run_to(Cycle until) {
    now_ = until;
    sm_.run(until);
    for (auto* const made : {&sm_.requests(), &sm_.code_requests(), &sm_.tile_requests()})
      answer(*made, until);
    std::stable_sort(answers_.begin(), answers_.end(),
                     [](const auto& a, const auto& b) { return a.cycle < b.cycle; });
  }

  /// Delivers the answers due before `until`; call before run_to(until).
  void deliver(Cycle until) {
    std::size_t due = 0;
    for (; due < answers_.size() && answers_[due].cycle < until; ++due)
      sm_.inbox().push_back(answers_[due]);
    answers_.erase(answers_.begin(), answers_.begin() + static_cast<std::ptrdiff_t>(due));
  }

  void advance(Cycle cycles) {
    deliver(now_ + cycles);
    run_to(now_ + cycles);
  }

  /// Runs until nothing is left to do. Returns the cycle in which the last CTA ended, i.e. in which
  /// the last EXIT issued or the last load arrived; -1 if that takes more than kGiveUp cycles.
  /// Checks that every cycle of every sub-core has a reason.
  Cycle finish(Cycle step = 1) {
    while (now_ < kGiveUp && !(sm_.is_idle() && !sm_.has_requests())) advance(step);
    if (!sm_.is_idle()) return -1;
    const Cycle end = sm_.ended_ctas().empty() ? now_ : sm_.ended_ctas().back();
    sm_.charge_rest(end);
    expect_reasons_add_up(end);
    return end - 1;
  }

  void expect_reasons_add_up(Cycle end) const {
    for (int i = 0; i < sub_cores_; ++i) {
      std::uint64_t sum = 0;
      for (const auto& [name, value] : counter_values(root_))
        if (name.find("sub_core[" + std::to_string(i) + "].cycles_") != std::string::npos)
          sum += value;
      EXPECT_EQ(sum, static_cast<std::uint64_t>(end)) << "sub-core " << i;
    }
  }

  /// The counter at `path` below the SM.
  std::uint64_t counter(const std::string& path) const {
    return counter_at(root_, "sm[0]." + path);
  }
  std::uint64_t reason(const std::string& name, int sub_core = 0) const {
    return counter("sub_core[" + std::to_string(sub_core) + "].cycles_" + name);
  }
  CounterValues counters() const { return counter_values(root_); }

  /// `observer` watches the SM; it learns of the kernel only at this point.
  void attach(Observer& observer) {
    sm_.attach(observer);
    observer.begin_kernel(kernel_);
  }

  Sm& sm() { return sm_; }
  Cycle now() const { return now_; }
  /// What has left the SM so far.
  const std::vector<memory::LineRequest>& requests() const { return requests_; }

 private:
  void answer(std::vector<memory::LineRequest>& made, Cycle until) {
    std::size_t left = 0;
    for (; left < made.size() && made[left].cycle < until; ++left) {
      requests_.push_back(made[left]);
      const bool has_data = made[left].access == memory::LineAccess::kRead ||
                            made[left].access == memory::LineAccess::kAtomic;
      answers_.push_back({made[left].cycle + memory_latency(made[left]),
                          has_data ? made[left].tag : memory::kWriteDone | made[left].tag});
    }
    made.erase(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(left));
  }

  int sub_cores_;
  stats::Group root_;
  Kernel kernel_;
  Sm sm_;
  Cycle now_ = 0;
  std::vector<memory::LineRequest> requests_;
  std::vector<memory::LineResponse> answers_;
};

/// The cycle in which the single CTA of `launch` ends.
inline Cycle end_of(const isa::KernelLaunch& launch, const SmParams& params = ampere_sm()) {
  SmBench bench(launch, params);
  bench.start_cta(0);
  return bench.finish();
}
inline Cycle end_of(const ProgramBuilder& program, const SmParams& params = ampere_sm()) {
  return end_of(single_warp(program), params);
}

}  // namespace tcsim::sm::test
