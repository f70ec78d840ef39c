#include "sim/labs/solution.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "sim/config/strict_map.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/read_file.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/labs/sheet.hpp"

namespace tcsim::labs {
namespace {

using config::Mistakes;
using config::StrictMap;
using config::TreeNode;

Measure read_measure(const TreeNode& node, Mistakes& mistakes) {
  StrictMap map(node, "measures", mistakes);
  Measure measure{map.text("name"), map.text("command"), map.text("at")};
  map.finish();
  return measure;
}

/// The question must be one of the lab, and the word one that it allows.
void check_expected(StrictMap& map, const Expected& expected, const Lab& lab) {
  const Question* const question = lab.question(expected.id);
  if (question == nullptr && !expected.id.empty()) {
    std::vector<std::string_view> ids;
    for (const Question& each : lab.questions) ids.emplace_back(each.id);
    map.mistake(map.place_of("id"), "id",
                fmt::format("{} is not a question of lab {}{}", files::shown(expected.id),
                            lab.number, files::did_you_mean(expected.id, ids)));
  }
  if (question == nullptr || question->words.empty() || expected.word.empty()) return;
  const auto is_it = [&](const std::string& word) { return is_same_word(word, expected.word); };
  if (std::ranges::none_of(question->words, is_it))
    map.mistake(
        map.place_of("word"), "word",
        fmt::format(
            "{} is not one of {}{}", files::shown(expected.word), fmt::join(question->words, ", "),
            files::did_you_mean(expected.word, {question->words.begin(), question->words.end()})));
}

Expected read_expected(const TreeNode& node, const std::vector<Measure>& measures, const Lab& lab,
                       Mistakes& mistakes) {
  StrictMap map(node, "answers", mistakes);
  Expected expected{map.text("id"), map.text("value", false), map.text("word", false),
                    map.text("word_of", false)};
  const int given = static_cast<int>(!expected.value.empty()) +
                    static_cast<int>(!expected.word.empty()) +
                    static_cast<int>(!expected.word_of.empty());
  if (given != 1) map.mistake(map.place(), expected.id, "needs one of value, word, word_of");
  std::vector<std::string_view> names;
  for (const Measure& measure : measures) names.emplace_back(measure.name);
  if (!expected.word_of.empty() && std::ranges::find(names, expected.word_of) == names.end())
    map.mistake(map.place_of("word_of"), "word_of",
                fmt::format("{} is not a measure{}", files::shown(expected.word_of),
                            files::did_you_mean(expected.word_of, names)));
  check_expected(map, expected, lab);
  map.finish();
  return expected;
}

Check read_check(const TreeNode& node, Mistakes& mistakes) {
  StrictMap map(node, "checks", mistakes);
  Check check{map.text("name"), map.number("points", 0, kMostPoints, 0), map.text("condition")};
  map.finish();
  return check;
}

}  // namespace

Solution read_solution(const std::filesystem::path& folder, const Lab& lab) {
  const std::filesystem::path path = folder / "solution.yaml";
  const std::string text = files::read_file(path, files::FileKind::kLab);
  Mistakes mistakes(path.string());
  const config::TreeFile file = config::parse_yaml(path.string(), text, mistakes);
  StrictMap map(file.root, "", mistakes);
  Solution solution;
  solution.file = path.string();
  const auto place_of = [&](const TreeNode& node) {
    return fmt::format("{}:{}:{}", solution.file, node.place.line, node.place.column);
  };
  for (const TreeNode& item : map.list("measures")) {
    solution.measures.push_back(read_measure(item, mistakes));
    solution.measures.back().place = place_of(item);
  }
  for (const TreeNode& item : map.list("answers")) {
    solution.answers.push_back(read_expected(item, solution.measures, lab, mistakes));
    solution.answers.back().place = place_of(item);
  }
  for (const TreeNode& item : map.list("checks")) {
    solution.checks.push_back(read_check(item, mistakes));
    solution.checks.back().place = place_of(item);
  }
  map.finish();
  mistakes.finish();
  return solution;
}

}  // namespace tcsim::labs
