#include "sim/cli/library_score.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/errors/errors.hpp"
#include "sim/files/json_text.hpp"
#include "sim/run/choice_score.hpp"
#include "sim/text/counted.hpp"

namespace tcsim::cli {
namespace {

using Json = nlohmann::ordered_json;
using run::ChoiceScore;
using run::NamedChoice;

double share(double part, std::size_t rows) {
  return rows > 0 ? part / static_cast<double>(rows) : 0;
}

std::string percent(double value) {
  constexpr double kPercent = 100;
  return fmt::format("{:.1f}", kPercent * value);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

Json score_json(const run::ChoiceGroup& group) {
  const ChoiceScore& score = group.score;
  const run::ShareInterval interval = run::wilson(score.right, score.rows);
  const auto of_rows = [&](std::size_t part) {
    return share(static_cast<double>(part), score.rows);
  };
  return {{"gpu", group.gpu},
          {"library", group.library},
          {"operation", group.operation},
          {"rows", score.rows},
          {"right_tile", of_rows(score.right)},
          {"low_95", interval.low},
          {"high_95", interval.high},
          {"right_in_all", of_rows(score.right_in_all)},
          {"split_told", score.slicing_told},
          {"right_split", share(static_cast<double>(score.slicing_right), score.slicing_told)},
          {"on_menu", of_rows(score.on_menu)},
          {"uniform_rule", share(score.uniform, score.rows)},
          {"least_estimate_rule", of_rows(score.fastest_right)},
          {"median_estimated_loss", median(score.losses)}};
}

Table score_table(const std::vector<run::ChoiceGroup>& groups) {
  Table table{{"GPU", "library", "operation", "rows", "right tile %", "95 %", "with k, stages %",
               "split %", "on menu %", "uniform %", "least estimate %", "loss of wrong %"},
              {}};
  for (const run::ChoiceGroup& group : groups) {
    const Json json = score_json(group);
    const auto cell = [&](const char* key) { return percent(json[key].get<double>()); };
    table.rows.push_back(
        {group.gpu, group.library, group.operation, std::to_string(group.score.rows),
         cell("right_tile"), cell("low_95") + "-" + cell("high_95"), cell("right_in_all"),
         group.score.slicing_told > 0 ? cell("right_split") : "", cell("on_menu"),
         cell("uniform_rule"), cell("least_estimate_rule"), cell("median_estimated_loss")});
  }
  return table;
}

std::string sides(const kernels::GemmTile& tile) {
  return fmt::format("{}x{}{}", tile.m, tile.n,
                     tile.sliced_k > 1 ? fmt::format("_sliced{}", tile.sliced_k) : "");
}

Table row_table(const std::vector<NamedChoice>& choices) {
  Table table{{"line", "GPU", "workload", "named", "chosen", "nearest of the menu", "right"}, {}};
  for (const NamedChoice& choice : choices)
    table.rows.push_back({std::to_string(choice.row->line), choice.row->gpu,
                          choice.row->workload.text, choice.row->name.tile_text(),
                          choice.chosen.text(), sides(choice.nearest),
                          choice.is_right ? "yes" : "no"});
  return table;
}

Json row_json(const NamedChoice& choice) {
  return {{"line", choice.row->line},
          {"gpu", choice.row->gpu},
          {"workload", choice.row->workload.text},
          {"kernel", choice.row->kernel},
          {"named", choice.row->name.tile_text()},
          {"chosen", choice.chosen.text()},
          {"nearest", sides(choice.nearest)},
          {"right", choice.is_right}};
}

}  // namespace

std::string score_library(const ScoreRequest& request, Format format) {
  const validate::GpuNames names =
      request.machine.empty() ? validate::GpuNames() : validate::GpuNames(request.machine);
  validate::NamedKernels list = validate::read_named_kernels(request.file, names);
  const run::NamedChoices choices = run::choose_for(list.rows, request.libraries);
  list.skipped.insert(list.skipped.end(), choices.skipped.begin(), choices.skipped.end());
  const auto skipped = validate::by_reason(list.skipped);
  if (choices.rows.empty())
    throw NotCovered(fmt::format("{}: no row can be scored{}", request.file,
                                 skipped.empty() ? ""
                                                 : fmt::format("; {}: {}", skipped.begin()->second,
                                                               skipped.begin()->first)));
  const std::vector<run::ChoiceGroup> groups = run::score_choices(choices.rows);
  if (format == Format::kJson) {
    Json json{{"file", request.file}};
    for (const run::ChoiceGroup& group : groups) json["scores"].push_back(score_json(group));
    json["skipped"] = skipped;
    if (request.shows_rows)
      for (const NamedChoice& choice : choices.rows) json["rows"].push_back(row_json(choice));
    return files::json_text(json, 2) + "\n";
  }
  std::string text =
      render(request.shows_rows ? row_table(choices.rows) : score_table(groups), format);
  if (format != Format::kText || skipped.empty()) return text;
  text += fmt::format("\nskipped {}\n", text::counted(list.skipped.size(), "row"));
  for (const auto& [reason, count] : skipped) text += fmt::format("  {:5}  {}\n", count, reason);
  return text;
}

}  // namespace tcsim::cli
