#include "sim/labs/lab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "sim/config/error.hpp"
#include "sim/config/strict_map.hpp"
#include "sim/files/read_file.hpp"

namespace tcsim::labs {
namespace {

using config::Mistakes;
using config::StrictMap;
using config::TreeNode;

constexpr std::int64_t kMostNumber = std::int64_t{1} << 40;
constexpr int kMostChoice = 1'000'000;
constexpr int kMostLabs = 1000;
constexpr int kSecondsOfALab = 60;
constexpr int kMostSeconds = 1'000'000;
constexpr double kMostPercent = 1e6;

ParameterSpec read_parameter(const TreeNode& node, Mistakes& mistakes) {
  StrictMap map(node, "parameters", mistakes);
  ParameterSpec parameter;
  parameter.name = map.text("name");
  if (map.find("choices") != nullptr) {
    parameter.choices = map.integers("choices", 0, kMostChoice);
    map.finish();
    return parameter;
  }
  parameter.first = map.integer("from", 0, kMostNumber, 0);
  parameter.last = map.integer("to", 0, kMostNumber, 0);
  parameter.step = map.integer("step", 1, kMostNumber, 1);
  if (parameter.last < parameter.first)
    map.mistake(map.place(), "to", fmt::format("{} is less than from", parameter.last));
  map.finish();
  return parameter;
}

Question read_question(const TreeNode& node, Mistakes& mistakes) {
  StrictMap map(node, "questions", mistakes);
  Question question;
  question.id = map.text("id");
  question.ask = map.text("ask");
  question.points = map.number("points", 0, kMostPoints, 0);
  question.written = map.word("written", {"no", "yes"}, 0) == 1;
  question.words = map.texts("words");
  question.unit = map.text("unit", !question.written && question.words.empty());
  if (!question.words.empty()) question.unit = "word";
  question.tolerance_percent = map.number("tolerance_percent", 0, kMostPercent, 0);
  map.finish();
  return question;
}

/// Of labs ordered by number.
void require_unique_numbers(const std::vector<Lab>& labs) {
  std::vector<std::string> mistakes;
  for (std::size_t i = 1; i < labs.size(); ++i)
    if (labs[i].number == labs[i - 1].number)
      mistakes.push_back(fmt::format("{}: lab: {} is also the number of {}", labs[i].place,
                                     labs[i].number, labs[i - 1].place));
  if (!mistakes.empty()) throw config::ConfigError(mistakes);
}

}  // namespace

std::int64_t ParameterSpec::values() const {
  return choices.empty() ? (last - first) / step + 1 : static_cast<std::int64_t>(choices.size());
}

std::int64_t ParameterSpec::value(std::int64_t index) const {
  return choices.empty() ? first + index * step : choices.at(static_cast<std::size_t>(index));
}

const Question* Lab::question(const std::string& id) const {
  const auto found = std::ranges::find(questions, id, &Question::id);
  return found == questions.end() ? nullptr : &*found;
}

Lab read_lab(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "lab.yaml";
  const std::string text = files::read_file(path, files::FileKind::kLab);
  Mistakes mistakes(path.string());
  const config::TreeFile file = config::parse_yaml(path.string(), text, mistakes);
  StrictMap map(file.root, "", mistakes);
  Lab lab;
  lab.folder = folder;
  lab.number = static_cast<int>(map.integer("lab", 1, kMostLabs, 0));
  const config::Place place = map.place_of("lab");
  lab.place = fmt::format("{}:{}:{}", path.string(), place.line, place.column);
  lab.title = map.text("title");
  lab.goal = map.text("goal");
  lab.time_limit_s = static_cast<int>(map.integer("time_limit_s", 1, kMostSeconds, kSecondsOfALab));
  lab.figure = map.text("figure");
  std::set<std::string> names;
  for (const TreeNode& item : map.list("parameters")) {
    lab.parameters.push_back(read_parameter(item, mistakes));
    if (!names.insert(lab.parameters.back().name).second)
      map.mistake(item.place, "parameters", "two are called " + lab.parameters.back().name);
  }
  std::set<std::string> ids;
  for (const TreeNode& item : map.list("questions")) {
    lab.questions.push_back(read_question(item, mistakes));
    if (!ids.insert(lab.questions.back().id).second)
      map.mistake(item.place, "questions", "two are called " + lab.questions.back().id);
  }
  lab.commands = map.texts("commands");
  lab.files = map.texts("files");
  map.finish();
  mistakes.finish();
  return lab;
}

std::vector<Lab> read_labs(const std::filesystem::path& root) {
  std::error_code error;
  std::filesystem::directory_iterator entries(root, error);
  if (error) throw IoError(root.string() + ": " + error.message());
  std::vector<Lab> labs;
  for (const auto& entry : entries)
    if (std::filesystem::exists(entry.path() / "lab.yaml")) labs.push_back(read_lab(entry.path()));
  std::ranges::sort(labs, {}, [](const Lab& lab) { return std::pair(lab.number, lab.folder); });
  require_unique_numbers(labs);
  return labs;
}

}  // namespace tcsim::labs
