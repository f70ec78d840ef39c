#include <fmt/format.h>

#include <set>
#include <string>
#include <vector>

#include "sim/results/sections.hpp"

namespace tcsim::results {
namespace {

std::string word(const View& json, const char* key) {
  const auto found = json.find(key);
  return found && !found->is_null() ? found->get<std::string>() : "-";
}

std::string part_word(const View& json, const char* part, const char* key) {
  const auto found = json.find(part);
  return found ? word(*found, key) : "-";
}

/// Names of the metrics that cells of `sections` hold, each once, in the order of stats.json.
std::set<std::string> metrics_in(const std::vector<Section>& sections) {
  std::set<std::string> names;
  for (const Section& section : sections)
    for (const auto& part : section.parts)
      if (const auto* table = std::get_if<Table>(&part))
        for (const auto& row : table->rows)
          for (const Cell& cell : row)
            if (!cell.metric.empty()) names.insert(cell.metric);
  return names;
}

}  // namespace

Section validated_section(const StoredRun& run) {
  Section section{"validated", "Validation", {}};
  const auto found = run.stats.find("validated");
  const std::string known = found ? found->get<std::string>() : "";
  section.parts.emplace_back(
      Paragraph{known.empty() ? "No measured reference for this class of shapes." : known});
  return section;
}

Section assumptions_section(const StoredRun& run) {
  Section section{"assumptions", "Assumptions", {}};
  const auto found = run.stats.find("assumptions");
  const std::vector<View> assumptions = found ? found->elements() : std::vector<View>{};
  if (assumptions.empty()) {
    section.parts.emplace_back(
        Paragraph{"The machine file has no assumptions that this run reads."});
    return section;
  }
  section.parts.emplace_back(Paragraph{
      "Machine values that the models read and that are unpublished or changed by --set. MMAs "
      "that the run does not execute are left out."});
  Table table{"", {"key", "value", "unit", "source"}, {}, /*folded=*/true};
  for (const View& row : assumptions) {
    table.rows.push_back({{row.at("key").get<std::string>()},
                          {row.at("value").get<std::string>()},
                          {row.at("unit").get<std::string>()},
                          {row.at("source").get<std::string>()}});
  }
  table.caption = fmt::format("{} values", table.rows.size());
  section.parts.emplace_back(std::move(table));
  return section;
}

Section provenance_section(const StoredRun& run) {
  Section section{"provenance", "Provenance", {}};
  Table table{"", {"", "value"}, {}};
  const View& manifest = run.manifest;
  table.rows = {{{"command"}, {word(manifest, "command")}},
                {{"workload"}, {word(run.stats, "workload")}},
                {{"revision"}, {word(manifest, "revision")}},
                {{"configuration hash"}, {word(run.stats, "configuration_hash")}},
                {{"machine hash"}, {part_word(manifest, "machine", "hash")}},
                {{"workload hash"}, {part_word(manifest, "workload", "hash")}},
                {{"fidelity"}, {word(run.stats, "fidelity")}},
                {{"started"}, {word(manifest, "started_utc")}},
                {{"host"}, {part_word(manifest, "host", "system")}},
                {{"simulated in"},
                 number_cell(run.stats.at("simulation").at("wall_s").get<double>(), "{:.2f} s")}};
  if (!run.verified) table.rows.push_back({{"files"}, {kNotVerified}});
  section.parts.emplace_back(std::move(table));
  section.parts.emplace_back(
      Paragraph{"Equal configuration hashes mean equal inputs; equal inputs give equal results on "
                "every host if both runs are complete and have the same fidelity."});
  std::vector<std::string> files{"stats.json", "stats.csv", "kernels.csv", "manifest.json"};
  if (run.stats.contains("critical_path")) files.emplace_back("critical_path.json");
  for (const std::string& file : files) section.parts.emplace_back(Link{file, file});
  return section;
}

Section glossary_section(const StoredRun& run, const std::vector<Section>& sections) {
  Section section{"glossary", "Glossary", {}};
  Table table{"", {"metric", "unit", "meaning", "formula"}, {}};
  const std::set<std::string> shown = metrics_in(sections);
  for (const char* group : {"metrics", "facts"}) {
    for (const auto& [name, entry] : run.stats.at(group).items()) {
      if (!shown.contains(name)) continue;
      table.rows.push_back({{name},
                            {word(entry, "unit")},
                            {word(entry, "sentence")},
                            {entry.contains("formula") ? word(entry, "formula") : "of the run"}});
    }
  }
  section.parts.emplace_back(std::move(table));
  return section;
}

}  // namespace tcsim::results
