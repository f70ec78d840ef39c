#include <algorithm>

#include "sim/results/sections.hpp"

namespace tcsim::results {
namespace {

Figure traffic_figure(const StoredRun& run) {
  plot::Bars bars{
      "Bytes moved per level, next to the least possible", {}, 1, 0, {"moved", "least possible"}};
  const auto add = [&](const char* label, const char* metric, std::size_t series) {
    const auto bytes = run.number(metric);
    if (!bytes) return;
    bars.most = std::max(bars.most, *bytes);
    bars.rows.push_back({label, *bytes, readable_bytes(*bytes), series});
  };
  add("shared memory/L1", "sm_memory_bytes", 0);
  add("L2 read", "l2_read_bytes", 0);
  add("DRAM read", "dram_read_bytes", 0);
  add("inputs, each once", "minimum_read_bytes", 1);
  add("L2 written", "l2_write_bytes", 0);
  add("DRAM written", "dram_write_bytes", 0);
  add("outputs, each once", "minimum_write_bytes", 1);
  return {"", plot::bars_svg(bars, plot::Theme::kPage), plot::bars_ascii(bars)};
}

Table traffic_table(const StoredRun& run) {
  Table table{"",
              {"level", "read", "written", "read / least", "hit rate", "GB/s", "% of peak",
               "operations per byte"},
              {}};
  const Cell none{"-"};
  const auto of_peak = [&](const char* fraction) {
    return metric_cell(run, fraction, "{:.1f} %", 100);
  };
  table.rows.push_back({{"shared memory/L1"},
                        bytes_cell(run, "sm_memory_bytes"),
                        none,
                        none,
                        percent_cell(run, "l1_hit_rate"),
                        none,
                        of_peak("sm_memory_fraction"),
                        metric_cell(run, "sm_memory_intensity", "{:.1f}")});
  table.rows.push_back({{"L2"},
                        bytes_cell(run, "l2_read_bytes"),
                        bytes_cell(run, "l2_write_bytes"),
                        metric_cell(run, "l2_read_ratio", "{:.2f}"),
                        percent_cell(run, "l2_hit_rate"),
                        metric_cell(run, "l2_gb_per_s", "{:.0f}"),
                        of_peak("l2_fraction"),
                        metric_cell(run, "l2_intensity", "{:.1f}")});
  table.rows.push_back({{"DRAM"},
                        bytes_cell(run, "dram_read_bytes"),
                        bytes_cell(run, "dram_write_bytes"),
                        metric_cell(run, "dram_read_ratio", "{:.2f}"),
                        none,
                        metric_cell(run, "dram_gb_per_s", "{:.0f}"),
                        of_peak("dram_fraction"),
                        metric_cell(run, "arithmetic_intensity", "{:.1f}")});
  table.rows.push_back({{"least possible"},
                        bytes_cell(run, "minimum_read_bytes"),
                        bytes_cell(run, "minimum_write_bytes"),
                        number_cell(1, "{:.2f}"),
                        none,
                        none,
                        none,
                        metric_cell(run, "best_intensity", "{:.1f}")});
  return table;
}

/// What bank conflicts cost, where shared memory was used.
Table conflict_table(const StoredRun& run) {
  Table table{"", {"level", "wavefronts could carry", "of these, bank conflicts", "% of peak"}, {}};
  table.rows.push_back({{"shared memory"},
                        bytes_cell(run, "shared_bytes"),
                        percent_cell(run, "shared_conflict_fraction"),
                        metric_cell(run, "shared_fraction", "{:.1f} %", 100)});
  return table;
}

}  // namespace

Section memory_section(const StoredRun& run) {
  Section section{"memory", "Memory", {}};
  section.parts.emplace_back(traffic_figure(run));
  section.parts.emplace_back(traffic_table(run));
  if (run.number("shared_conflict_fraction")) section.parts.emplace_back(conflict_table(run));
  section.parts.emplace_back(
      Paragraph{"Shared memory/L1 counts cycles in which the data path moves data, times its "
                "width, for reads and writes together. "
                "Output that is still dirty in L2 at the end has not been written to DRAM."});
  return section;
}

}  // namespace tcsim::results
