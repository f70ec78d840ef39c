#pragma once

#include <string_view>
#include <vector>

#include "sim/plot/bars.hpp"
#include "sim/plot/roofline.hpp"
#include "sim/plot/strips.hpp"
#include "sim/results/section.hpp"

namespace tcsim::results {

/// The report of one run: its sections in their fixed order.
Document report_of(const StoredRun& run);

/// Ids of the sections that every report has, in their order.
std::vector<std::string_view> section_ids();

// The sections, one by one.
Section verdict_section(const StoredRun& run);
Section machine_section(const StoredRun& run);
/// All peak rates of the machine of `card`, or those of the number format `dtype`.
Table rates_table(const View& card, const std::string& dtype);
/// GB/s of `level` ("dram", ...) of the machine of `card`; 0: it has none.
double bandwidth_of(const View& card, std::string_view level);
/// Behind the clock of a machine: where published peaks of its tensor cores have another.
std::string published_clock_text(const View& card);
Section roofline_section(const StoredRun& run);
Section speed_of_light_section(const StoredRun& run);
Section cycles_section(const StoredRun& run);
Section sensitivity_section(const StoredRun& run);
Section memory_section(const StoredRun& run);
Section occupancy_section(const StoredRun& run);
Section timeline_section(const StoredRun& run);
Section kernels_section(const StoredRun& run);
Section source_section(const StoredRun& run);
Section critical_path_section(const StoredRun& run);
Section values_section(const StoredRun& run);
Section energy_section(const StoredRun& run);
Section validated_section(const StoredRun& run);
Section assumptions_section(const StoredRun& run);
Section provenance_section(const StoredRun& run);
/// The section of the stats.json of a run, or the network.json of a network.
Section sensitivity_of(const View& results);
/// Exactly the metrics that `sections` show, with their formulas.
Section glossary_section(const StoredRun& run, const std::vector<Section>& sections);

// What some of them draw.
plot::Roofline roofline_of(const StoredRun& run);
plot::StackedBars stalls_of(const StoredRun& run);
plot::Strips activity_of(const StoredRun& run);

}  // namespace tcsim::results
