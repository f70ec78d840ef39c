#include "sim/labs/lab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/files/read_file.hpp"
#include "sim/sweep/spec_map.hpp"

namespace tcsim::labs {
namespace {

using config::Mistakes;
using config::TreeNode;
using sweep::SpecMap;

/// The items of a list of words; none if the key is absent.
std::vector<std::string> words_of(SpecMap& map, std::string_view key) {
  std::vector<std::string> words;
  for (const TreeNode& item : map.list(key)) {
    if (item.kind != TreeNode::Kind::kText)
      map.mistake(item.place, key, "expected a word; got " + config::describe(item));
    words.push_back(item.text);
  }
  return words;
}

ParameterSpec read_parameter(const TreeNode& node, Mistakes& mistakes) {
  SpecMap map(node, "parameters", mistakes);
  ParameterSpec parameter;
  parameter.name = map.text("name", true);
  parameter.first = map.whole_number("from", 0, 0);
  parameter.last = map.whole_number("to", 0, 0);
  parameter.step = map.whole_number("step", 1, 1);
  if (parameter.last < parameter.first)
    map.mistake(map.place(), "to", fmt::format("{} is before from", parameter.last));
  map.finish();
  return parameter;
}

Question read_question(const TreeNode& node, Mistakes& mistakes) {
  SpecMap map(node, "questions", mistakes);
  Question question;
  question.id = map.text("id", true);
  question.ask = map.text("ask", true);
  question.points = map.number("points", 0).value_or(0);
  question.written = map.text("written", false) == "yes";
  question.words = words_of(map, "words");
  question.unit = map.text("unit", !question.written && question.words.empty());
  if (!question.words.empty()) question.unit = "word";
  question.tolerance_percent = map.number("tolerance_percent", 0).value_or(0);
  map.finish();
  return question;
}

}  // namespace

const Question* Lab::question(const std::string& id) const {
  const auto found = std::ranges::find(questions, id, &Question::id);
  return found == questions.end() ? nullptr : &*found;
}

Lab read_lab(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "lab.yaml";
  const std::string text = files::read_file(path, files::FileKind::kLab);
  Mistakes mistakes(path.string());
  const config::TreeFile file = config::parse_yaml(path.string(), text, mistakes);
  SpecMap map(file.root, "", mistakes);
  Lab lab;
  lab.folder = folder;
  lab.number = static_cast<int>(map.whole_number("lab", 0, 1));
  lab.title = map.text("title", true);
  lab.goal = map.text("goal", true);
  lab.time_limit_s = static_cast<int>(map.whole_number("time_limit_s", 60, 1));
  lab.figure = map.text("figure", true);
  for (const TreeNode& item : map.list("parameters"))
    lab.parameters.push_back(read_parameter(item, mistakes));
  std::set<std::string> ids;
  for (const TreeNode& item : map.list("questions")) {
    lab.questions.push_back(read_question(item, mistakes));
    if (!ids.insert(lab.questions.back().id).second)
      map.mistake(item.place, "questions", "two are called " + lab.questions.back().id);
  }
  lab.commands = words_of(map, "commands");
  lab.files = words_of(map, "files");
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
  std::ranges::sort(labs, {}, &Lab::number);
  return labs;
}

}  // namespace tcsim::labs
