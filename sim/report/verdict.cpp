#include "sim/report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tcsim::report {
namespace {

struct Advice {
  std::string_view key;
  std::string_view text;
};

// What helps against a binding resource or a stall reason.
constexpr std::array kAdvice{
    Advice{"tensor_cores",
           "the tensor pipes are the limit; a faster format or more SMs would help"},
    Advice{"cuda_cores",
           "the CUDA cores are the limit; --unit tensor runs the product on tensor cores"},
    Advice{"issue_slots", "a larger warp tile needs fewer instructions per MMA"},
    Advice{"sm_memory",
           "a larger warp tile rereads shared memory less; check bank conflicts in stats.json"},
    Advice{"l2", "a larger CTA tile (--tile) rereads L2 less"},
    Advice{
        "dram",
        "a larger problem or tile reuses each byte more; more DRAM bandwidth would help directly"},
    Advice{"launch", "launch overhead rules this size; batch several problems or use a larger one"},
    Advice{"parallelism",
           "too few CTAs for this chip; a smaller tile (--tile) spreads the work over more SMs"},
    Advice{"dependence_fixed",
           "more independent MMAs per warp (a larger warp tile) or more warps per SM"},
    Advice{"dependence_shared",
           "double-buffer the fragment loads from shared memory, or more warps per SM"},
    Advice{"dependence_global", "more CTAs per SM, or loads issued further ahead"},
    Advice{"copy_wait", "more pipeline stages in the tile (--tile ..._s<stages>)"},
    Advice{"tensor_pipe_busy",
           "the tensor pipes are the limit; a faster format or more SMs would help"},
    Advice{"other_pipe_busy", "fewer address and conversion instructions per MMA: a larger tile"},
    Advice{"register_port",
           "operands that share register banks; another tile shape may separate them"},
    Advice{"memory_queue_full", "wider loads, or fewer of them: a larger tile"},
    Advice{"barrier", "more pipeline stages, or more CTAs per SM to fill the wait"},
    Advice{"instruction_fetch", "a shorter loop body"},
    Advice{"constant", "fewer lines of kernel parameters"},
    Advice{"no_warp", "more CTAs: a smaller tile (--tile), or a grid that fills whole waves"},
};

std::string advice_for(std::string_view key) {
  const auto found = std::find_if(kAdvice.begin(), kAdvice.end(),
                                  [&](const Advice& row) { return row.key == key; });
  return found == kAdvice.end() ? std::string("see cycles_by_reason in stats.json")
                                : std::string(found->text);
}

double share_of(const std::vector<CycleShare>& breakdown, std::string_view reason) {
  const auto found = std::find_if(breakdown.begin(), breakdown.end(),
                                  [&](const CycleShare& share) { return share.reason == reason; });
  return found == breakdown.end() ? 0.0 : found->fraction;
}

/// The largest reason that is a wait inside a running warp, or nothing if there is none.
const CycleShare* largest_wait(const std::vector<CycleShare>& breakdown) {
  const CycleShare* largest = nullptr;
  for (const CycleShare& share : breakdown) {
    const bool is_wait = share.reason != "issued" && share.reason != "tensor_pipe_busy" &&
                         share.reason != "launch" && share.reason != "no_warp";
    if (is_wait && share.cycles > 0 && (largest == nullptr || share.cycles > largest->cycles))
      largest = &share;
  }
  return largest;
}

std::vector<SpeedOfLight> bars_of(const ResourceUse& use) {
  std::vector<SpeedOfLight> bars;
  const auto add = [&](const char* id, const char* label, std::optional<double> fraction) {
    if (fraction) bars.push_back({id, label, *fraction});
  };
  if (use.tensor_unit) {
    add("tensor_cores", "tensor cores", use.issue_fraction);
  } else {
    add("cuda_cores", "CUDA cores", use.peak_fraction);
  }
  add("issue_slots", "issue slots", use.issue_active);
  add("sm_memory", "shared memory/L1", use.sm_memory_fraction);
  add("l2", "L2", use.l2_fraction);
  add("dram", "DRAM", use.dram_fraction);
  return bars;
}

/// Cycles in which sub-cores hold no warp at all, and which of the two causes is the larger.
struct Idleness {
  double fraction = 0.0;
  bool launch_rules = false;
};

Idleness idleness_of(const std::vector<CycleShare>& breakdown) {
  const double launch = share_of(breakdown, "launch");
  const double no_warp = share_of(breakdown, "no_warp");
  return {launch + no_warp, launch >= no_warp};
}

Verdict bound_by_resource(const SpeedOfLight& top, const std::vector<CycleShare>& breakdown) {
  Verdict verdict;
  verdict.bound_by = top.id;
  verdict.phrase = top.label;
  verdict.sentence = fmt::format("The run is bound by {}, at {:.1f} % of the ceiling", top.label,
                                 100 * top.fraction);
  verdict.advice = advice_for(top.id);
  // A loss of some weight is worth more than the general advice.
  constexpr double kWorthNaming = 0.05;
  const Idleness idle = idleness_of(breakdown);
  const CycleShare* wait = largest_wait(breakdown);
  if (wait != nullptr && wait->fraction >= std::max(kWorthNaming, idle.fraction)) {
    verdict.phrase += fmt::format(", held back by {}", wait->label);
    verdict.sentence += fmt::format("; {:.1f} % of the sub-core cycles go to {}",
                                    100 * wait->fraction, wait->label);
    verdict.advice = advice_for(wait->reason);
  } else if (idle.fraction >= kWorthNaming) {
    verdict.phrase += ", held back by idle SMs";
    verdict.sentence +=
        fmt::format("; sub-cores hold no warp in {:.1f} % of their cycles", 100 * idle.fraction);
    verdict.advice = advice_for(idle.launch_rules ? "launch" : "no_warp");
  }
  verdict.sentence += ".";
  return verdict;
}

Verdict bound_by_idleness(const Idleness& idle) {
  Verdict verdict;
  verdict.bound_by = idle.launch_rules ? "launch" : "parallelism";
  verdict.phrase = idle.launch_rules ? "launch overhead" : "too few CTAs to fill the chip";
  verdict.sentence =
      fmt::format("Sub-cores hold no warp in {:.1f} % of their cycles, mostly because of {}.",
                  100 * idle.fraction, verdict.phrase);
  verdict.advice = advice_for(verdict.bound_by);
  return verdict;
}

Verdict bound_by_latency(const CycleShare* wait) {
  Verdict verdict;
  verdict.bound_by = "latency";
  verdict.phrase = wait == nullptr ? "latency" : fmt::format("latency: {}", wait->label);
  verdict.sentence = wait == nullptr
                         ? "No unit comes near its ceiling and no wait stands out."
                         : fmt::format(
                               "No unit reaches {:.0f} % of its ceiling; warps wait, most of all "
                               "for {} ({:.1f} %).",
                               100 * kBindingFraction, wait->label, 100 * wait->fraction);
  verdict.advice = advice_for(wait == nullptr ? "" : wait->reason);
  return verdict;
}

}  // namespace

Verdict judge(const ResourceUse& use, const std::vector<CycleShare>& breakdown) {
  const std::vector<SpeedOfLight> bars = bars_of(use);
  const auto top = std::max_element(bars.begin(), bars.end(),
                                    [](const SpeedOfLight& left, const SpeedOfLight& right) {
                                      return left.fraction < right.fraction;
                                    });
  const Idleness idle = idleness_of(breakdown);
  const CycleShare* wait = largest_wait(breakdown);
  Verdict verdict;
  if (top != bars.end() && top->fraction >= kBindingFraction) {
    verdict = bound_by_resource(*top, breakdown);
  } else if (idle.fraction > (wait == nullptr ? 0.0 : wait->fraction)) {
    verdict = bound_by_idleness(idle);
  } else {
    verdict = bound_by_latency(wait);
  }
  verdict.bars = bars;
  return verdict;
}

}  // namespace tcsim::report
