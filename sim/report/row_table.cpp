#include "sim/report/row_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::string number(const Json& value, const char* format, double scale = 1.0) {
  return value.is_number() ? fmt::format(fmt::runtime(format), scale * value.get<double>())
                           : std::string("-");
}

Table table_of(const std::vector<TableRow>& rows) {
  RateUnit unit;
  for (const TableRow& row : rows) unit.add_run(row.result);
  Table table{{"machine", "workload", "tile", "time us", unit.text(), "% of peak", "bound by"}, {}};
  for (const TableRow& row : rows) {
    if (row.status != RowStatus::kDone) {
      table.rows.push_back({row.machine, row.title, "-", "-", "-", "-",
                            fmt::format("{}: {}", status_text(row.status), row.reason)});
      continue;
    }
    const std::string tile = tile_of(row.result);
    table.rows.push_back({row.machine, row.title, tile.empty() ? "-" : tile,
                          number(row.result.at("time_us"), "{:.2f}"),
                          number(row.result.at("tflops"), "{:.2f}"),
                          number(row.result.at("peak_fraction"), "{:.1f}", 100),
                          row.result.at("bound_by").get<std::string>()});
  }
  return table;
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

std::string rows_text(const std::vector<TableRow>& rows) { return aligned_table(table_of(rows)); }

std::string rows_markdown(const std::vector<TableRow>& rows) {
  return markdown_table(table_of(rows));
}

std::string rows_csv(const std::vector<TableRow>& rows) {
  std::string text =
      "row,machine,workload,status,reason,tile,time_us,cycles,clock_mhz,flop,tflops,peak_tflops,"
      "peak_fraction,"
      "pipe_active,issue_fraction,bound_by,dram_read_bytes,dram_write_bytes,l2_hit_rate,warp_"
      "instructions,"
      "mma_instructions,fidelity,overrides\n";
  for (const TableRow& row : rows) {
    text += fmt::format("{},{},{},{},{}", row.number, text::csv_field(row.machine),
                        text::csv_field(row.workload), status_text(row.status),
                        text::csv_field(row.reason));
    for (const std::string& value : result_fields(row.result)) text += "," + value;
    text += fmt::format(",{},{}\n", row.result.is_null() ? "cycle" : fidelity_of(row.result),
                        overrides_of(row.result));
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
