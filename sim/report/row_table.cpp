#include "sim/report/row_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "sim/errors/errors.hpp"
#include "sim/files/json_text.hpp"
#include "sim/report/json_report.hpp"
#include "sim/report/layout.hpp"
#include "sim/report/run_record.hpp"
#include "sim/report/words.hpp"
#include "sim/stats/writers.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::report {
namespace {

using Json = nlohmann::ordered_json;

Table table_of(const std::vector<TableRow>& rows) {
  const std::vector<RowFigure> figures = row_figures(rows);
  Table table{{"machine", "workload"}, {}};
  for (const RowFigure& figure : figures) table.columns.push_back(figure.title);
  table.columns.emplace_back("bound by");
  for (const TableRow& row : rows) {
    const bool is_done = row.status == RowStatus::kDone;
    std::vector<std::string> cells{row.machine, row.title};
    for (const RowFigure& figure : figures)
      cells.push_back(is_done ? figure.text(row.result) : "-");
    cells.push_back(is_done ? row.result.at("bound_by").get<std::string>()
                            : fmt::format("{}: {}", status_text(row.status), row.reason));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

/// What files have of `result` by `name`; empty where that says nothing of it.
std::string field(const Json& result, const char* name) {
  return result.is_object() && result.contains(name) ? csv_value(result.at(name)) : "";
}

/// Columns of rows_csv that only networks have, behind all others.
constexpr std::array kOfNetworks{"gpus", "batch",    "tokens",        "context_tokens", "precision",
                                 "pass", "kv_cache", "samples_per_s", "tokens_per_s"};

std::string network_fields(const Json& result) {
  std::string text;
  for (const char* name : kOfNetworks) text += "," + field(result, name);
  const bool has_collectives = result.is_object() && result.contains("collectives");
  return text + "," + (has_collectives ? field(result.at("collectives"), "time_us") : "");
}

/// The columns of rows_csv from `tile` to `mma_instructions`; all empty without a result.
std::vector<std::string> result_fields(const Json& result) {
  constexpr std::array kTop{"time_us",        "cycles",      "clock_mhz",     "flop",
                            "tflops",         "peak_tflops", "peak_fraction", "pipe_active",
                            "issue_fraction", "bound_by"};
  constexpr std::array kMemory{"dram_read_bytes", "dram_write_bytes", "l2_hit_rate"};
  constexpr std::array kInstructions{"warp", "mma"};
  if (result.is_null())
    return std::vector<std::string>(1 + kTop.size() + kMemory.size() + kInstructions.size());
  std::vector<std::string> fields{text::csv_field(tile_of(result))};
  for (const char* name : kTop) fields.push_back(csv_value(result.at(name)));
  for (const char* name : kMemory) fields.push_back(csv_value(result.at("memory").at(name)));
  for (const char* name : kInstructions)
    fields.push_back(csv_value(result.at("instructions").at(name)));
  return fields;
}

std::string overrides_of(const Json& result) {
  if (result.is_null() || !result.contains("overrides")) return "";
  return overrides_field(result.at("overrides").get<std::vector<std::string>>());
}

}  // namespace

std::string csv_value(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return text::csv_field(value.get<std::string>());
  if (value.is_number_float()) return stats::shortest(value.get<double>());
  return files::json_text(value);
}

std::string overrides_field(const std::vector<std::string>& overrides) {
  return text::csv_field(fmt::format("{}", fmt::join(overrides, " ")));
}

std::string_view status_text(RowStatus status) {
  switch (status) {
    case RowStatus::kDone:
      return "done";
    case RowStatus::kStopped:
      return "stopped";
    case RowStatus::kFailed:
      return "failed";
    case RowStatus::kNotRun:
      return "not run";
  }
  throw InternalError("unknown row status");
}

bool are_of_network(const std::vector<TableRow>& rows) {
  return !rows.empty() && rows.front().workload.starts_with("net:");
}

int gpus_of(const std::vector<TableRow>& rows) {
  for (const TableRow& row : rows)
    if (row.result.is_object() && row.result.contains("gpus"))
      return row.result.at("gpus").get<int>();
  return 1;
}

std::optional<double> RowFigure::number(const Json& result) const {
  if (name.empty() || !result.contains(name) || !result.at(name).is_number()) return {};
  return result.at(name).get<double>();
}

std::string RowFigure::text(const Json& result) const {
  if (name.empty()) {
    const std::string tile = tile_of(result);
    return tile.empty() ? "-" : tile;
  }
  const auto value = number(result);
  return value ? readable_number(scale * *value, decimals) : "-";
}

std::vector<RowFigure> row_figures(const std::vector<TableRow>& rows) {
  RateUnit unit;
  for (const TableRow& row : rows) unit.add_run(row.result);
  std::vector<RowFigure> figures;
  if (!are_of_network(rows)) figures.push_back({"tile", "", 0});
  figures.push_back({"time us", "time_us", 2});
  if (are_of_network(rows)) {
    figures.push_back({"samples/s", "samples_per_s", 1});
    const RowFigure tokens{"tokens/s", "tokens_per_s", 1};
    const auto has_tokens = [&](const TableRow& row) {
      return tokens.number(row.result).has_value();
    };
    if (std::ranges::any_of(rows, has_tokens)) figures.push_back(tokens);
  }
  figures.push_back({unit.text() + (gpus_of(rows) > 1 ? " per GPU" : ""), "tflops", 2});
  figures.push_back({"% of peak", "peak_fraction", 1, 100});
  return figures;
}

std::string collective_note(const std::vector<TableRow>& rows) {
  std::string shares;
  for (const TableRow& row : rows) {
    if (row.status != RowStatus::kDone || !row.result.contains("collectives")) continue;
    const double share = row.result.at("collectives").at("time_us").get<double>() /
                         row.result.at("time_us").get<double>();
    shares += fmt::format("{}{:.1f} % of the time on {}", shares.empty() ? "" : ", ", 100 * share,
                          row.machine);
  }
  if (shares.empty()) return "";
  return fmt::format(
      "samples and tokens are those of all {} GPUs together; collective operations take {}, by a "
      "model of NVLink (docs/networks.md)",
      gpus_of(rows), shares);
}

std::string rows_text(const std::vector<TableRow>& rows) { return aligned_table(table_of(rows)); }

std::string rows_markdown(const std::vector<TableRow>& rows) {
  const std::string note = collective_note(rows);
  return markdown_table(table_of(rows)) + (note.empty() ? "" : "\n" + text::markdown(note) + "\n");
}

std::string rows_csv(const std::vector<TableRow>& rows) {
  std::string text =
      "row,machine,workload,status,reason,tile,time_us,cycles,clock_mhz,flop,tflops,peak_tflops,"
      "peak_fraction,"
      "pipe_active,issue_fraction,bound_by,dram_read_bytes,dram_write_bytes,l2_hit_rate,warp_"
      "instructions,"
      "mma_instructions,fidelity,overrides";
  const bool of_network = are_of_network(rows);
  if (of_network) text += fmt::format(",{},collective_us", fmt::join(kOfNetworks, ","));
  text += "\n";
  for (const TableRow& row : rows) {
    text += fmt::format("{},{},{},{},{}", row.number, text::csv_field(row.machine),
                        text::csv_field(row.workload), status_text(row.status),
                        text::csv_field(row.reason));
    for (const std::string& value : result_fields(row.result)) text += "," + value;
    text += fmt::format(",{},{}{}\n", row.result.is_null() ? "cycle" : fidelity_of(row.result),
                        overrides_of(row.result), of_network ? network_fields(row.result) : "");
  }
  return text;
}

Json rows_json(const std::vector<TableRow>& rows) {
  Json json = Json::array();
  for (const TableRow& row : rows) {
    json.push_back({{"row", row.number},
                    {"machine", row.machine},
                    {"workload", row.workload},
                    {"title", row.title},
                    {"directory", row.directory},
                    {"status", status_text(row.status)},
                    {"reason", row.reason},
                    {"result", row.result}});
  }
  return json;
}

}  // namespace tcsim::report
