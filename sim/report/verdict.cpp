#include "sim/report/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace tcsim::report {
namespace {

/// Fills in what helps against `cause`, if anything is known that always does.
void advise(Verdict& verdict, std::string_view cause, const std::vector<Remedy>& remedies) {
  const auto found = std::ranges::find(remedies, cause, &Remedy::cause);
  if (found == remedies.end()) return;
  verdict.options = found->options;
  verdict.advice = fmt::format("{}: {}", found->text, fmt::join(found->options, " "));
}

/// The share of `reason`; 0 if it is not in `breakdown`.
CycleShare share_of(const std::vector<CycleShare>& breakdown, std::string_view reason) {
  const auto found = std::ranges::find(breakdown, reason, &CycleShare::reason);
  return found == breakdown.end() ? CycleShare{} : *found;
}

/// "27.8" for 278 tenths.
std::string percent(int tenths) { return fmt::format("{}.{}", tenths / 10, tenths % 10); }

/// A reason for which sub-cores hold no warp at all.
struct IdleReason {
  std::string_view reason;
  std::string_view bound_by;
  std::string_view phrase;
};

constexpr std::string_view kNoWarp = "no_warp";
constexpr std::array<IdleReason, 3> kIdleReasons{
    {{"launch", "launch", "launch overhead"},
     {kNoWarp, "parallelism", "too few CTAs to fill the chip"},
     {"drain", "drain", "writes that outlast the CTAs"}}};
/// The phrase of kNoWarp where that is mostly the tail of kernels of which every SM had CTAs.
constexpr std::string_view kTail = "SMs that end before the others";
/// Where kernels have CTAs for more than a wave: every place has had one.
constexpr std::string_view kTurnover = "CTAs that start and end";

constexpr std::string_view kTensorPipeBusy = "tensor_pipe_busy";

/// The largest reason that is a wait inside a running warp, or nothing if there is none. A busy
/// tensor pipe is none: its unit works.
const CycleShare* largest_wait(const std::vector<CycleShare>& breakdown) {
  const CycleShare* largest = nullptr;
  for (const CycleShare& share : breakdown) {
    const bool is_wait =
        share.reason != "issued" && share.reason != kTensorPipeBusy &&
        std::ranges::find(kIdleReasons, share.reason, &IdleReason::reason) == kIdleReasons.end();
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
    add("cuda_cores", "CUDA cores", use.fma_fraction);
  }
  add("issue_slots", "issue slots", use.issue_active);
  add("sm_memory", "shared memory/L1", use.sm_memory_fraction);
  add("l2", "L2", use.l2_fraction);
  add("dram", "DRAM", use.dram_fraction);
  return bars;
}

/// Cycles in which sub-cores hold no warp at all, and their largest reason.
struct Idleness {
  double fraction = 0.0;
  int tenths = 0;        ///< the same as the table of cycles shows it
  double largest = 0.0;  ///< of them, the share of `reason`
  IdleReason reason;
};

Idleness idleness_of(const std::vector<CycleShare>& breakdown, const ResourceUse& use) {
  const auto share = [&](const IdleReason& idle) {
    return share_of(breakdown, idle.reason).fraction;
  };
  const IdleReason& largest = *std::ranges::max_element(kIdleReasons, {}, share);
  Idleness idleness{0.0, 0, share(largest), largest};
  for (const IdleReason& reason : kIdleReasons) {
    const CycleShare part = share_of(breakdown, reason.reason);
    idleness.fraction += part.fraction;
    idleness.tenths += part.tenths;
  }
  if (largest.reason != kNoWarp) return idleness;
  if (use.ended_fraction >= idleness.largest / 2)
    idleness.reason.phrase = kTail;
  else if (use.waves_fraction > 0.5)
    idleness.reason.phrase = kTurnover;
  return idleness;
}

/// Whether the bank conflicts of shared memory are worth naming as what makes `top` binding.
bool has_conflicts(const SpeedOfLight& top, const ResourceUse& use) {
  constexpr double kWorthNaming = 0.1;
  return top.id == "sm_memory" && use.conflict_fraction.value_or(0) >= kWorthNaming;
}

/// What would make a resource at its ceiling faster.
std::string help_at_the_ceiling(const Verdict& verdict, bool conflicts) {
  const bool has_other_unit = !verdict.options.empty() && verdict.options.front() == "--unit";
  if (has_other_unit) return ": only another unit or a faster machine would help.";
  if (conflicts) return ": only fewer bank conflicts or a faster machine would help.";
  return ": only a faster machine would help.";
}

/// Adds what keeps a resource below its ceiling.
void name_slowdown(Verdict& verdict, const std::vector<CycleShare>& breakdown,
                   const ResourceUse& use) {
  constexpr double kWorthNaming = 0.05;
  const Idleness idle = idleness_of(breakdown, use);
  const CycleShare* wait = largest_wait(breakdown);
  if (wait != nullptr && wait->fraction >= std::max(kWorthNaming, idle.fraction)) {
    verdict.phrase += fmt::format(", slowed by {}", wait->label);
    verdict.sentence +=
        fmt::format("; {} % of the sub-core cycles go to {}", percent(wait->tenths), wait->label);
  } else if (idle.fraction >= kWorthNaming) {
    verdict.phrase += ", slowed by idle SMs";
    verdict.sentence +=
        fmt::format("; sub-cores hold no warp in {} % of their cycles", percent(idle.tenths));
  }
  verdict.sentence += ".";
}

Verdict bound_by_resource(const SpeedOfLight& top, const ResourceUse& use,
                          const std::vector<CycleShare>& breakdown,
                          const std::vector<Remedy>& remedies) {
  Verdict verdict;
  verdict.bound_by = top.id;
  verdict.phrase = top.label;
  verdict.sentence = fmt::format("The run is bound by {}, at {:.1f} % of the ceiling", top.label,
                                 100 * top.fraction);
  advise(verdict, top.id, remedies);
  const bool conflicts = has_conflicts(top, use);
  if (conflicts) advise(verdict, "bank_conflicts", remedies);
  if (top.fraction >= kFullFraction)
    verdict.sentence += help_at_the_ceiling(verdict, conflicts);
  else
    name_slowdown(verdict, breakdown, use);
  if (conflicts)
    verdict.sentence +=
        fmt::format(" Of the shared-memory wavefronts, {:.1f} % are bank conflicts.",
                    100 * *use.conflict_fraction);
  return verdict;
}

Verdict bound_by_idleness(const Idleness& idle, const std::vector<Remedy>& remedies) {
  Verdict verdict;
  verdict.bound_by = idle.reason.bound_by;
  verdict.phrase = idle.reason.phrase;
  verdict.sentence =
      fmt::format("Sub-cores hold no warp in {} % of their cycles, mostly because of {}.",
                  percent(idle.tenths), verdict.phrase);
  advise(verdict, verdict.bound_by, remedies);
  return verdict;
}

Verdict bound_by_latency(const CycleShare* wait, const std::vector<CycleShare>& breakdown,
                         const std::vector<Remedy>& remedies) {
  Verdict verdict;
  verdict.bound_by = "latency";
  if (wait == nullptr) {
    verdict.phrase = "latency";
    verdict.sentence = "No unit comes near its ceiling and no wait stands out.";
    return verdict;
  }
  const CycleShare busy = share_of(breakdown, kTensorPipeBusy);
  verdict.phrase = fmt::format("latency: {}", wait->label);
  verdict.sentence = fmt::format(
      "No unit reaches {:.0f} % of its ceiling; {}warps wait, most of all for {} "
      "({} %).",
      100 * kBindingFraction,
      busy.fraction > wait->fraction
          ? fmt::format("apart from a busy tensor pipe ({} %), ", percent(busy.tenths))
          : "",
      wait->label, percent(wait->tenths));
  advise(verdict, wait->reason, remedies);
  return verdict;
}

}  // namespace

Verdict judge(const ResourceUse& use, const std::vector<CycleShare>& breakdown,
              const std::vector<Remedy>& remedies) {
  const std::vector<SpeedOfLight> bars = bars_of(use);
  const auto top = std::max_element(bars.begin(), bars.end(),
                                    [](const SpeedOfLight& left, const SpeedOfLight& right) {
                                      return left.fraction < right.fraction;
                                    });
  const Idleness idle = idleness_of(breakdown, use);
  const CycleShare* wait = largest_wait(breakdown);
  Verdict verdict;
  if (top != bars.end() && top->fraction >= kBindingFraction) {
    verdict = bound_by_resource(*top, use, breakdown, remedies);
  } else if (idle.largest > (wait == nullptr ? 0.0 : wait->fraction)) {
    verdict = bound_by_idleness(idle, remedies);
  } else {
    verdict = bound_by_latency(wait, breakdown, remedies);
  }
  verdict.bars = bars;
  return verdict;
}

}  // namespace tcsim::report
