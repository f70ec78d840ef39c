#include <fmt/format.h>

#include <array>

#include "sim/config/peak.hpp"
#include "sim/results/sections.hpp"

namespace tcsim::results {
namespace {

struct Level {
  const char* name;       ///< in the machine card
  const char* label;      ///< for people
  const char* intensity;  ///< the metric
};
constexpr std::array<Level, 3> kLevels{{{"dram", "DRAM", "arithmetic_intensity"},
                                        {"l2", "L2", "l2_intensity"},
                                        {"shared", "shared memory/L1", "sm_memory_intensity"}}};

/// The rate of the run's arithmetic, and that of the CUDA cores in FP32. CUDA cores often widen
/// what they read: where both rates are equal, the run's formats name none.
void add_ceilings(const StoredRun& run, plot::Roofline& roofline) {
  const bool is_tensor = run.stats.at("unit").is("tensor");
  const auto dtype = run.stats.at("dtype").get<std::string>();
  const auto peak = run.number("peak_tflops");
  std::optional<double> fp32;
  for (const View& rate : run.stats.at("machine_card").at("rates").elements())
    if (rate.at("unit").is("cuda-core") && rate.at("dtype").is("fp32"))
      fp32 = rate.at("tera_ops_per_s").get<double>();
  if (peak && (is_tensor || peak != fp32))
    roofline.ceilings.push_back({(is_tensor ? "tensor " : "CUDA cores ") + dtype, *peak});
  if (fp32) roofline.ceilings.push_back({"CUDA cores fp32", *fp32});
}

/// What the tensor pipes executed in a kernel, padding included; nothing where it ran without them.
std::optional<double> executed_rate(const View& kernel) {
  constexpr double kPerTera = 1e6;
  const auto macs = kernel.at("tensor_macs").get<double>();
  const auto time_us = kernel.at("time_us").get<double>();
  if (macs == 0 || time_us <= 0) return std::nullopt;
  return config::kOperationsPerMac * macs / time_us / kPerTera;
}

double dram_bytes(const View& kernel) {
  return kernel.at("dram_read_bytes").get<double>() + kernel.at("l2_writeback_bytes").get<double>();
}

/// One dot per kernel of a run of several.
void add_kernels(const StoredRun& run, plot::Roofline& roofline) {
  const std::vector<View> kernels = run.stats.at("kernels").elements();
  if (kernels.size() < 2) return;
  for (const View& kernel : kernels) {
    const auto rate = executed_rate(kernel);
    if (!rate || dram_bytes(kernel) == 0) continue;
    constexpr double kPerTera = 1e6;
    roofline.dots.push_back(
        {kernel.at("name").get<std::string>(),
         *rate * kPerTera * kernel.at("time_us").get<double>() / dram_bytes(kernel), *rate,
         kLevels.size()});
  }
}

Table attained_table(const StoredRun& run) {
  Table table{
      "What the run attains of what each level allows",
      {"level", "operations per byte", "attainable 10^12/s", "achieved 10^12/s", "% of attainable"},
      {}};
  const View card = run.stats.at("machine_card");
  const auto peak = run.number("peak_tflops");
  const auto rate = run.number("tflops");
  for (const Level& level : kLevels) {
    const auto intensity = run.number(level.intensity);
    std::optional<double> attainable;
    if (peak && intensity)
      attainable = plot::attainable(*peak, bandwidth_of(card, level.name), *intensity);
    std::optional<double> share;
    if (attainable && rate) share = *rate / *attainable;
    table.rows.push_back({{level.label},
                          metric_cell(run, level.intensity, "{:.1f}"),
                          number_cell(attainable, "{:.1f}"),
                          metric_cell(run, "tflops", "{:.2f}"),
                          number_cell(share, "{:.1f}", 100)});
  }
  return table;
}

}  // namespace

plot::Roofline roofline_of(const StoredRun& run) {
  plot::Roofline roofline;
  roofline.title = "Roofline of " + run.stats.at("title").get<std::string>();
  roofline.setting = setting_of(run.stats);
  if (!run.stats.contains("machine_card")) return roofline;
  const View card = run.stats.at("machine_card");
  add_ceilings(run, roofline);
  const auto rate = run.number("tflops");
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    roofline.slopes.push_back({kLevels[i].label, bandwidth_of(card, kLevels[i].name)});
    roofline.legend.push_back(fmt::format("this run, bytes of {}", kLevels[i].label));
    const auto intensity = run.number(kLevels[i].intensity);
    if (rate && *rate > 0 && intensity && *intensity > 0)
      roofline.dots.push_back({roofline.legend.back(), *intensity, *rate, i});
  }
  const std::size_t of_run = roofline.dots.size();
  add_kernels(run, roofline);
  if (roofline.dots.size() > of_run) roofline.legend.emplace_back("a kernel, bytes of DRAM");
  roofline.best_intensity = run.number("best_intensity").value_or(0);
  return roofline;
}

Section roofline_section(const StoredRun& run) {
  Section section{"roofline", "Roofline", {}};
  const plot::Roofline roofline = roofline_of(run);
  if (roofline.dots.empty() || roofline.ceilings.empty()) {
    section.parts.emplace_back(
        Paragraph{run.stats.at("complete").get<bool>()
                      ? "Not applicable: the useful operations of this run are not known."
                      : "Not applicable: the run did not end."});
    return section;
  }
  section.parts.emplace_back(
      Figure{"Flat lines: peak rates. Slopes: what each level of memory can feed. A dot at the "
             "height of the line above it has reached its limit.",
             plot::roofline_svg(roofline, plot::Theme::kPage), plot::roofline_ascii(roofline)});
  section.parts.emplace_back(attained_table(run));
  if (roofline.legend.size() > kLevels.size())  // one more name, that of kernels
    section.parts.emplace_back(
        Paragraph{"Dots of single kernels count the operations that the tensor pipes executed, "
                  "padding included; kernels without any have no dot."});
  return section;
}

}  // namespace tcsim::results
