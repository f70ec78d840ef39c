#include "sim/results/sections.hpp"

#include <fmt/format.h>

#include "sim/report/run_directory.hpp"

namespace tcsim::results {

Document report_of(const StoredRun& run) {
  Document document{fmt::format("{} on {}", run.stats.at("title").get<std::string>(),
                                run.stats.at("machine").get<std::string>()),
                    report::name_of_run(run.name),
                    {}};
  for (Section (*const section)(const StoredRun&) :
       {verdict_section, machine_section, roofline_section, speed_of_light_section, cycles_section,
        sensitivity_section, critical_path_section, memory_section, occupancy_section,
        timeline_section, kernels_section, source_section, values_section, energy_section,
        validated_section, assumptions_section, provenance_section}) {
    document.sections.push_back(section(run));
  }
  document.sections.push_back(glossary_section(run, document.sections));
  return document;
}

std::vector<std::string_view> section_ids() {
  return {"verdict",       "machine", "roofline",  "speed-of-light", "cycles",     "sensitivity",
          "critical-path", "memory",  "occupancy", "timeline",       "kernels",    "source",
          "values",        "energy",  "validated", "assumptions",    "provenance", "glossary"};
}

}  // namespace tcsim::results
