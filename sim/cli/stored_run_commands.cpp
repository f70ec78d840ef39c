#include "sim/cli/stored_run_commands.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "sim/cli/table.hpp"
#include "sim/config/load.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/json_text.hpp"
#include "sim/files/nearest.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/results/comparison.hpp"
#include "sim/results/dictionary.hpp"
#include "sim/results/list_report.hpp"
#include "sim/results/network_report.hpp"
#include "sim/results/page.hpp"
#include "sim/results/sections.hpp"
#include "sim/results/text_views.hpp"

namespace tcsim::cli {
namespace {

using results::Document;

std::string document_in(const Document& document, const std::string& format) {
  if (format == "html") return results::page(document);
  switch (parse_format(format, "html")) {
    case Format::kText:
      return results::document_text(document);
    case Format::kJson:
      return files::json_text(results::document_json(document), 2) + "\n";
    case Format::kCsv:
      return results::document_csv(document);
    case Format::kMarkdown:
      return results::document_markdown(document);
  }
  return "";
}

/// Keeps the section with the id `wanted`. Throws UsageError if there is none.
void keep_section(Document& document, const std::string& wanted) {
  std::vector<std::string_view> ids;
  for (const results::Section& section : document.sections) ids.push_back(section.id);
  if (std::find(ids.begin(), ids.end(), wanted) == ids.end())
    throw UsageError(fmt::format("tcsim show: --section: '{}' is not one of {}{}", wanted,
                                 fmt::join(ids, ", "), files::did_you_mean(wanted, ids)));
  std::erase_if(document.sections,
                [&](const results::Section& section) { return section.id != wanted; });
}

/// The report of the run, network or list in `directory`.
Document stored_report(const std::string& directory) {
  if (results::is_list(directory)) return results::report_of(results::load_list(directory));
  if (results::is_network(directory)) return results::report_of(results::load_network(directory));
  return results::report_of(results::load_run(directory));
}

struct ShowOptions {
  std::string run;
  std::string section;
  std::string format = "text";
};

int show(const ShowOptions& options) {
  if (options.run.empty())
    throw UsageError("tcsim show: which run? Give its directory, for example run-0001");
  Document document = stored_report(options.run);
  if (!options.section.empty()) keep_section(document, options.section);
  fmt::print(std::cout, "{}", document_in(document, options.format));
  return kDone;
}

struct CompareOptions {
  std::vector<std::string> runs;
  std::string format = "text";
};

template <typename Stored>
std::vector<Stored> loaded(const std::vector<std::string>& names,
                           Stored (*load)(const std::filesystem::path&)) {
  std::vector<Stored> all;
  for (const std::string& name : names) all.push_back(load(name));
  return all;
}

Document compared(const std::vector<std::string>& names) {
  for (const std::string& name : names) results::require_run_directory(name);
  const auto all_are = [&](bool (*is)(const std::filesystem::path&)) {
    const auto count = std::ranges::count_if(names, [&](const auto& name) { return is(name); });
    if (count != 0 && count != static_cast<std::ptrdiff_t>(names.size()))
      throw UsageError(
          "tcsim compare: lists, networks and single runs cannot be compared; give several of "
          "one kind");
    return count != 0;
  };
  if (all_are(results::is_list)) return results::comparison_of(loaded(names, results::load_list));
  if (all_are(results::is_network))
    return results::comparison_of(loaded(names, results::load_network));
  return results::comparison_of(loaded(names, results::load_run));
}

int compare(const CompareOptions& options) {
  if (options.runs.size() < 2)
    throw UsageError("tcsim compare: give the directories of two or more runs");
  fmt::print(std::cout, "{}", document_in(compared(options.runs), options.format));
  return kDone;
}

struct MetricsOptions {
  std::string name;
  std::string format = "text";
};

/// The counters of the smallest machine, with the part that only some machines have.
std::vector<results::DictionaryEntry> whole_dictionary() {
  const gpu::Simulation simulation(config::load_machine("lab-tiny", {"noc.coalescer_entries=1"}),
                                   {});
  return results::dictionary(stats::summarize(simulation.counters()));
}

results::Json entry_json(const results::DictionaryEntry& entry) {
  return {{"name", entry.name},
          {"kind", entry.kind},
          {"unit", entry.unit},
          {"sentence", entry.sentence},
          {"formula", entry.formula.empty() ? results::Json() : results::Json(entry.formula)}};
}

std::string all_metrics(const std::vector<results::DictionaryEntry>& entries, Format format) {
  if (format == Format::kJson) {
    results::Json json = results::Json::array();
    for (const auto& entry : entries) json.push_back(entry_json(entry));
    return files::json_text(json, 2) + "\n";
  }
  Table table{{"name", "kind", "unit", "meaning"}, {}};
  if (format != Format::kText) table.columns.emplace_back("formula");
  for (const auto& entry : entries) {
    table.rows.push_back({entry.name, entry.kind, entry.unit, entry.sentence});
    if (format != Format::kText) table.rows.back().push_back(entry.formula);
  }
  return render(table, format);
}

int metrics(const MetricsOptions& options) {
  const Format format = parse_format(options.format);
  std::vector<results::DictionaryEntry> entries = whole_dictionary();
  if (options.name.empty()) {
    fmt::print(std::cout, "{}", all_metrics(entries, format));
    return kDone;
  }
  const results::DictionaryEntry* entry = results::find_entry(entries, options.name);
  if (entry == nullptr) {
    std::vector<std::string_view> names;
    for (const auto& known : entries) names.push_back(known.name);
    const std::string meant = files::did_you_mean(options.name, names);
    throw UsageError(fmt::format("tcsim metrics: no metric '{}'{}", options.name,
                                 meant.empty() ? "; all of them: tcsim metrics" : meant));
  }
  fmt::print(std::cout, "{}",
             format == Format::kText   ? results::entry_text(*entry, entries)
             : format == Format::kJson ? files::json_text(entry_json(*entry), 2) + "\n"
                                       : all_metrics({*entry}, format));
  return kDone;
}

}  // namespace

void add_show_command(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand("show", "Print the report of a run again, or a section");
  const auto options = std::make_shared<ShowOptions>();
  command->add_option("run", options->run, "Directory of a run, of a network or of a list of runs");
  command->add_option(
      "--section", options->section,
      fmt::format("Only this section: {}", fmt::join(results::section_ids(), ", ")));
  command->add_option("-f,--format", options->format,
                      "text, json, csv, md or html (default: text)");
  command->callback([options, &status] { status = show(*options); });
}

void add_compare_command(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "compare", "What differs between runs, and where the difference in time comes from");
  const auto options = std::make_shared<CompareOptions>();
  command->add_option("runs", options->runs, "Directories; each is compared with the first");
  command->add_option("-f,--format", options->format,
                      "text, json, csv, md or html (default: text)");
  command->callback([options, &status] { status = compare(*options); });
}

void add_metrics_command(CLI::App& app, int& status) {
  CLI::App* command =
      app.add_subcommand("metrics", "What the numbers in reports and files mean, with formulas");
  const auto options = std::make_shared<MetricsOptions>();
  command->add_option("name", options->name, "A metric, a fact or a counter; default: all");
  command->add_option("-f,--format", options->format, "text, json, csv or md (default: text)");
  command->callback([options, &status] { status = metrics(*options); });
}

}  // namespace tcsim::cli
