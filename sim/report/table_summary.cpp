#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/report/layout.hpp"
#include "sim/report/row_table.hpp"
#include "sim/report/words.hpp"
#include "sim/text/counted.hpp"

namespace tcsim::report {
namespace {

/// Finished rows of one machine.
struct MachineSummary {
  std::string machine;
  std::size_t rows = 0;
  std::size_t done = 0;
  double time_us = 0.0;
  double flop = 0.0;
  RateUnit unit;
  std::vector<double> peak_fractions;
  std::map<int, double> time_of_row;
};

std::vector<MachineSummary> summaries_of(const std::vector<TableRow>& rows) {
  std::vector<MachineSummary> summaries;
  for (const TableRow& row : rows) {
    auto summary =
        std::find_if(summaries.begin(), summaries.end(),
                     [&](const MachineSummary& known) { return known.machine == row.machine; });
    if (summary == summaries.end()) {
      summaries.push_back({});
      summary = std::prev(summaries.end());
      summary->machine = row.machine;
    }
    ++summary->rows;
    if (row.status != RowStatus::kDone) continue;
    ++summary->done;
    const double time_us = row.result.at("time_us").get<double>();
    summary->time_us += time_us;
    summary->time_of_row[row.number] = time_us;
    summary->unit.add_run(row.result);
    if (row.result.at("flop").is_number()) summary->flop += row.result.at("flop").get<double>();
    if (row.result.at("peak_fraction").is_number()) {
      summary->peak_fractions.push_back(row.result.at("peak_fraction").get<double>());
    }
  }
  return summaries;
}

/// The middle value, or the mean of the two middle ones. Requires values.
double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string machine_line(const MachineSummary& summary, int gpus) {
  std::string text = fmt::format("{}: {} of {} done", summary.machine, summary.done,
                                 text::counted(summary.rows, "row"));
  if (summary.done == 0) return text + "\n";
  text += ", " + readable_time(summary.time_us) +
          (gpus > 1 ? fmt::format(" on {} GPUs", gpus) : " of GPU time");
  if (summary.flop > 0)
    text +=
        fmt::format(", {} {}{} overall", readable_number(summary.flop / summary.time_us / 1e6, 1),
                    summary.unit.text(), gpus > 1 ? " per GPU" : "");
  if (!summary.peak_fractions.empty()) {
    const double best =
        *std::max_element(summary.peak_fractions.begin(), summary.peak_fractions.end());
    text += fmt::format("; {} % of peak in the median, {} % at best",
                        readable_number(100 * median(summary.peak_fractions), 1),
                        readable_number(100 * best, 1));
  }
  return text + "\n";
}

/// How much faster `other` is than `first`, or an empty text if they share no finished row.
std::string speed_up_line(const MachineSummary& first, const MachineSummary& other) {
  double logarithms = 0.0;
  int common = 0;
  for (const auto& [row, time_us] : other.time_of_row) {
    const auto found = first.time_of_row.find(row);
    if (found == first.time_of_row.end()) continue;
    logarithms += std::log(found->second / time_us);
    ++common;
  }
  if (common == 0) return "";
  return fmt::format("{} is {:.2f} times as fast as {} (geometric mean over {})\n", other.machine,
                     std::exp(logarithms / common), first.machine, text::counted(common, "row"));
}

}  // namespace

std::string summary_text(const std::vector<TableRow>& rows) {
  const std::vector<MachineSummary> summaries = summaries_of(rows);
  std::string text;
  for (const MachineSummary& summary : summaries) text += machine_line(summary, gpus_of(rows));
  for (std::size_t i = 1; i < summaries.size(); ++i)
    text += speed_up_line(summaries.front(), summaries[i]);
  const std::string note = collective_note(rows);
  return note.empty() ? text : text + note + "\n";
}

}  // namespace tcsim::report
