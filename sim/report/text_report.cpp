#include "sim/report/text_report.hpp"

#include <fmt/format.h>

#include "sim/report/critical_path.hpp"
#include "sim/report/energy_section.hpp"
#include "sim/report/layout.hpp"
#include "sim/report/rtl_section.hpp"
#include "sim/report/sensitivity.hpp"
#include "sim/report/values_section.hpp"
#include "sim/report/words.hpp"
#include "sim/text/counted.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::report {
namespace {

constexpr int kWidth = 100;
constexpr int kIndent = 17;  // where values start
constexpr int kBarWidth = 40;

std::string titled_line(std::string_view title, std::string_view text) {
  return fmt::format("  {:<{}}{}\n", title, kIndent - 2, text);
}

std::string percent(std::optional<double> fraction) {
  return fraction ? fmt::format("{:.1f} %", 100 * *fraction) : std::string("not applicable");
}

/// "cycle", "sampled, 3.1 % of the instructions simulated, +-0.4 % (nominal 95 % interval)".
std::string fidelity_words(const RunRecord& record) {
  std::string words(fidelity(record.outcome));
  const gpu::Sampling& sampling = record.outcome.sampling;
  if (sampling.gaps == 0) return words;
  const double instructions = record.metric("warp_instructions").value_or(0.0);
  return words +
         fmt::format(", {:.1f} % of the instructions simulated, +-{:.2f} % (nominal 95 % interval)",
                     100 * (1 - sampling.instructions_left_out / instructions),
                     100 * sampling.half_width_cycles / static_cast<double>(record.outcome.cycles));
}

std::string heading(const RunRecord& record) {
  std::string text = fmt::format("{}    machine {}    unit {}    L2 {}    fidelity {}",
                                 record.inputs.title, record.inputs.machine, record.inputs.unit,
                                 record.inputs.l2_state, fidelity_words(record));
  if (const std::string tile = record.inputs.tile(); !tile.empty())
    text += fmt::format("    tile {}", tile);
  if (!record.complete())
    text += fmt::format("\n\n  INCOMPLETE     {}", stop_words(record.stopped_by));
  return text + "\n\n";
}

std::string rate(const RunRecord& record) {
  const auto tflops = record.metric("tflops");
  if (!tflops && !record.complete()) return "not applicable (the run did not end)";
  if (!tflops) return "not applicable (the useful operations of this run are not known)";
  const std::string unit = rate_unit(record.inputs.dtype);
  std::string text = fmt::format("{} {}", readable_number(*tflops, 2), unit);
  if (const auto fraction = record.metric("peak_fraction")) {
    text = fmt::format("{:<18} {:.1f} % of the {} {} peak", text, 100 * *fraction,
                       readable_number(*record.inputs.peak_tflops, 1), unit);
  }
  if (record.inputs.sparse)
    text += fmt::format("; both count the dense product; {} {} are executed",
                        readable_number(*tflops * kSparseShare, 2), unit);
  return text;
}

/// The rate below the tensor peak to which the machine limits the run's instructions, and why.
std::string attainable(const RunRecord& record) {
  const std::optional<AttainableRate>& rate = record.inputs.attainable;
  if (!rate || rate->held_by.empty()) return "";
  const auto fraction = record.metric("attainable_fraction");
  return titled_line(
             "attainable",
             fmt::format(
                 "{:<18} {}",
                 fmt::format("{} {}", readable_number(rate->tflops, 1),
                             rate_unit(record.inputs.dtype)),
                 fraction ? fmt::format("the run reaches {:.1f} % of it", 100 * *fraction) : "")) +
         titled_line("", rate->held_by);
}

std::string speed_of_light(const RunRecord& record) {
  std::string text = "  speed of light               0        25        50        75       100 %\n";
  for (const SpeedOfLight& row : record.verdict.bars) {
    text += fmt::format("    {:<16}{:6.1f} |{}|", row.label, 100 * row.fraction,
                        bar(row.fraction, kBarWidth));
    if (row.id == "dram" && row.fraction > record.metric("dram_fraction").value_or(0.0)) {
      const double peak = record.inputs.dram_read_peak_gb_per_s;
      text += fmt::format("  reads, {:.0f} of {:.0f} GB/s", row.fraction * peak, peak);
    } else if (row.id == "dram") {
      text += fmt::format("  {:.0f} of {:.0f} GB/s", record.metric("dram_gb_per_s").value_or(0.0),
                          record.inputs.dram_peak_gb_per_s);
    }
    text += "\n";
  }
  return text;
}

std::string where_the_cycles_went(const RunRecord& record) {
  std::vector<std::string> words;
  for (const CycleShare& share : record.breakdown) {
    if (share.tenths > 0)
      words.push_back(fmt::format("{} {}.{}", share.label, share.tenths / 10, share.tenths % 10));
  }
  words.emplace_back("= 100.0 %");
  return titled_line("cycles spent", wrap(words, kIndent, kWidth));
}

std::string work(const RunRecord& record, std::size_t index) {
  const gpu::KernelSpan& kernel = record.outcome.kernels[index];
  const std::string ctas = with_thousands(kernel.ctas) + (kernel.ctas == 1 ? " CTA" : " CTAs");
  if (kernel.ctas_per_sm == 0) return ctas + ", not started";
  const WavesText waves = text_of(record.waves[index]);
  const std::string places =
      kernel.cluster_size > 1
          ? fmt::format("in clusters of {}, {} at once", kernel.cluster_size,
                        with_thousands(kernel.ctas_at_once))
          : fmt::format("on {} x {}", text::counted(record.inputs.sms, "SM"), kernel.ctas_per_sm);
  return fmt::format("{} {} (limit: {}) = {} waves; the last wave is {} % full", ctas, places,
                     kernel.occupancy_limit, waves.count, waves.last_wave_percent);
}

/// CTAs without work, where there are any.
std::string idle_ctas(const RunRecord& record, std::size_t index) {
  if (index >= record.inputs.needs.size() || record.inputs.needs[index].idle_ctas == 0) return "";
  return titled_line("", "CTAs beyond the edge of D have no tile and end at once: " +
                             with_thousands(record.inputs.needs[index].idle_ctas));
}

/// How the kernel ended, where SMs without a CTA cost something.
std::string tail(const RunRecord& record, std::size_t index) {
  constexpr double kWorthSaying = 0.01;
  const gpu::KernelSpan& kernel = record.outcome.kernels[index];
  const double idle = kernel.idle_share(record.inputs.sms);
  if (idle < kWorthSaying) return "";
  const std::string most = text::counted(kernel.spread.most, "CTA");
  const std::string ctas = kernel.spread.fewest == kernel.spread.most
                               ? most
                               : fmt::format("{} to {}", kernel.spread.fewest, most);
  return titled_line("", fmt::format("{} per SM; in the last {:.1f} % of the kernel some SMs have "
                                     "none, which idles {:.1f} % of SM time",
                                     ctas, 100 * kernel.tail_share(), 100 * idle));
}

/// " (simulated: 1.21 times as fast)"; where the advice was not tried, how to do so.
std::string tried_words(const RunRecord& record) {
  if (!record.tried) return " (untried; --try simulates it)";
  if (!record.tried->time_us) return fmt::format(" (tried: {})", record.tried->reason);
  return fmt::format(" (simulated: {:.2f} times as fast)", record.tried->times_as_fast);
}

std::string cost(const RunRecord& record) {
  const double wall_s = record.cost.wall_s;
  const double instructions = record.metric("warp_instructions").value_or(0.0);
  if (wall_s <= 0) return "";
  return fmt::format("{:.2f} s: {:.2f} M warp instructions/s, {:.3f} M cycles/s, {:.0f} MiB",
                     wall_s, instructions / wall_s / 1e6,
                     static_cast<double>(record.outcome.cycles) / wall_s / 1e6,
                     static_cast<double>(record.cost.peak_rss_bytes) / (1024.0 * 1024.0));
}

}  // namespace

std::string text_report(const RunRecord& record) {
  std::string text = heading(record);
  text += titled_line("time",
                      fmt::format("{:<18} {} cycles at {} MHz",
                                  readable_time(record.metric("time_us").value_or(0.0)),
                                  with_thousands(record.outcome.cycles), record.inputs.clock_mhz));
  text += titled_line("rate", rate(record));
  text += attainable(record);
  text += titled_line("bound by", record.verdict.phrase);
  text += "\n";
  text += titled_line("pipe active",
                      fmt::format("{:<18} tensor pipe holds at least one MMA / elapsed cycles",
                                  percent(record.metric("pipe_active"))));
  text +=
      titled_line("issue fraction",
                  fmt::format("{:<18} issue slots taken by MMAs / slots offered; padding counts",
                              percent(record.metric("issue_fraction"))));
  text +=
      titled_line("peak fraction",
                  fmt::format("{:<18} useful FLOP / (time x peak); padding of tiles does not count",
                              percent(record.metric("peak_fraction"))));
  text += "\n" + speed_of_light(record) + "\n" + where_the_cycles_went(record);
  const std::vector<gpu::KernelSpan>& kernels = record.outcome.kernels;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const std::string whose = kernels.size() > 1 ? kernels[i].name + ": " : "";
    text += titled_line(i == 0 ? "work" : "", whose + work(record, i));
    text += idle_ctas(record, i) + tail(record, i);
  }
  if (const std::string energy = energy_text(record); !energy.empty())
    text += titled_line("energy", energy);
  if (const std::string clock = clock_text(record); !clock.empty())
    text += titled_line("clock", clock);
  text += titled_line("verdict", record.verdict.sentence);
  if (!record.verdict.advice.empty())
    text += titled_line("try", record.verdict.advice + tried_words(record));
  if (!record.critical_paths.empty())
    text += titled_line("path", critical_path_line(record.critical_paths));
  if (!record.validated.empty()) text += titled_line("validated", record.validated);
  if (record.values) text += "\n" + values_text(*record.values) + "\n";
  if (record.tensor_core) text += "\n" + rtl_text(*record.tensor_core) + "\n";
  if (record.tiles) text += "\n" + tile_search_text(*record.tiles) + "\n";
  if (record.sensitivity) text += "\n" + sensitivity_text(*record.sensitivity) + "\n";
  text += titled_line("simulated in", cost(record));
  return text;
}

std::string markdown_report(const RunRecord& record) {
  std::vector<std::vector<std::string>> rows;
  for (const stats::Metric& metric : record.metrics) {
    rows.push_back({std::string(metric.definition.name),
                    metric.value ? fmt::format("{:.6g}", *metric.value) : "",
                    std::string(metric.definition.unit), std::string(metric.definition.sentence)});
  }
  std::vector<std::vector<std::string>> reasons;
  for (const CycleShare& share : record.breakdown) {
    reasons.push_back({share.label, fmt::format("{}.{}", share.tenths / 10, share.tenths % 10)});
  }
  std::string text = fmt::format("# {} on {}\n\n", text::markdown(record.inputs.title),
                                 text::markdown(record.inputs.machine));
  if (!record.complete())
    text += fmt::format("**Incomplete: {}.**\n\n", stop_words(record.stopped_by));
  text += text::markdown(record.verdict.sentence);
  if (!record.verdict.advice.empty())
    text += fmt::format(" Try {}{}.", text::markdown(record.verdict.advice), tried_words(record));
  text += "\n\n";
  text += markdown_table({{"metric", "value", "unit", "meaning"}, rows});
  text += "\n" + markdown_table({{"cycles spent on", "%"}, reasons});
  if (record.values) text += "\n" + text::markdown_block(values_text(*record.values));
  if (record.tensor_core) text += "\n" + text::markdown_block(rtl_text(*record.tensor_core));
  if (record.tiles) text += "\n" + text::markdown_block(tile_search_text(*record.tiles));
  if (!record.critical_paths.empty())
    text +=
        "\n" + text::markdown_block("critical path: " + critical_path_line(record.critical_paths));
  if (record.sensitivity)
    text += "\n" + text::markdown_block(sensitivity_text(*record.sensitivity));
  return text;
}

}  // namespace tcsim::report
