#include "sim/validate/accuracy.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>

#include "sim/files/csv_table.hpp"
#include "sim/files/read_file.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/text/number.hpp"
#include "sim/text/outgoing.hpp"
#include "workloads/trace/input_error.hpp"

namespace tcsim::validate {
namespace {

constexpr std::string_view kHeader =
    "machine,op,dtype,unit,size_class,rows,median_ape,mape,bias,revision,sample";

double number(const std::string& text, const std::string& place) {
  constexpr double kMost = 1e9;  // percent and rows
  const auto value = text::number_of<double>(text);
  if (!value || !(std::abs(*value) <= kMost))
    throw InputError(
        {fmt::format("{}: {} is not a number up to {}", place, files::shown(text), kMost)});
  return *value;
}

Accuracy accuracy_in(const std::vector<files::CsvField>& fields, const std::string& place) {
  constexpr std::size_t kFields = 11;
  if (fields.size() != kFields)
    throw InputError(
        {fmt::format("{}: {} fields where {} were expected", place, fields.size(), kFields)});
  return {.machine = fields[0].text,
          .op = fields[1].text,
          .dtype = fields[2].text,
          .unit = fields[3].text,
          .size_class = fields[4].text,
          .rows = static_cast<int>(number(fields[5].text, place)),
          .median_ape = number(fields[6].text, place),
          .mape = number(fields[7].text, place),
          .bias = number(fields[8].text, place)};
}

}  // namespace

std::vector<Accuracy> accuracies(const std::vector<Comparison>& rows) {
  std::vector<Comparison> by_machine = rows;
  for (Comparison& row : by_machine) row.measurement.gpu = row.measurement.model.machine;
  std::vector<Accuracy> result;
  for (const GroupScore& score : score_groups(by_machine))
    result.push_back({score.gpu, score.op, score.dtype, score.unit, score.size_class, score.rows,
                      score.median_ape, score.mape, score.bias});
  return result;
}

std::string accuracy_csv(const std::vector<Accuracy>& accuracies, std::string_view revision) {
  std::string text = std::string(kHeader) + "\n";
  for (const Accuracy& row : accuracies)
    text += fmt::format("{},{},{},{},{},{},{:.1f},{:.1f},{:.1f},{},-\n",
                        text::csv_field(row.machine), row.op, row.dtype, row.unit, row.size_class,
                        row.rows, row.median_ape, row.mape, row.bias, revision);
  return text;
}

std::vector<Accuracy> read_accuracies(const std::string& file) {
  std::vector<Accuracy> result;
  if (!std::filesystem::exists(file)) return result;
  const std::string text = files::read_file(file, files::FileKind::kTable);
  files::CsvTable table(text, file);
  for (files::CsvRow row; table.next(row);) {
    if (table.line() > 1) {
      result.push_back(accuracy_in(row.fields, table.place(1)));
    } else if (row.text != kHeader) {
      throw InputError({table.mistake(1, "header", fmt::format("expected '{}'", kHeader))});
    }
  }
  return result;
}

std::string validated_text(const std::vector<Accuracy>& accuracies, const Simulated& run) {
  if (run.op.empty()) return "no measured reference for this workload";
  const std::string run_class = fmt::format("{} {}{}, {}, on {}", run.op, run.dtype,
                                            run.unit == "tensor" ? "" : " on CUDA cores",
                                            size_class(run.time_us), run.machine);
  for (const Accuracy& row : accuracies)
    if (row.machine == run.machine && row.op == run.op && row.dtype == run.dtype &&
        row.unit == run.unit && row.size_class == size_class(run.time_us))
      return fmt::format("{}: median error {:.1f} %, {} measured row{}", run_class, row.median_ape,
                         row.rows, row.rows == 1 ? "" : "s");
  return "no measured reference for " + run_class;
}

}  // namespace tcsim::validate
