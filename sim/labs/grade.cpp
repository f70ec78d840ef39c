#include "sim/labs/grade.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "sim/config/error.hpp"
#include "sim/labs/json_path.hpp"
#include "sim/labs/sheet.hpp"
#include "sim/sweep/expression.hpp"

namespace tcsim::labs {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kSubmission = "{submission}";
constexpr std::string_view kFile = "{file:";

/// What the measures gave. A measure on the student's own files may fail.
struct Measured {
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> words;
  std::string failure;  ///< of the first command on the student's files that failed
};

std::vector<std::string> words_of(const std::string& command) {
  std::istringstream stream(command);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

class Measurer {
 public:
  Measurer(const std::filesystem::path& submission, const Parameters& parameters, const Runner& run)
      : submission_(submission), parameters_(parameters), run_(run) {
    for (const auto& [name, value] : parameters)
      measured_.numbers[name] = static_cast<double>(value);
  }

  void measure(const Measure& measure) {
    const bool is_students = measure.command.find(kSubmission) != std::string::npos ||
                             measure.command.find(kFile) != std::string::npos;
    Json value;
    try {
      value = value_at(output_of(measure.command), measure.at);
    } catch (const CommandFailed& error) {
      if (!is_students) throw;
      if (measured_.failure.empty()) measured_.failure = error.what();
      return;
    }
    if (value.is_number()) {
      measured_.numbers[measure.name] = value.get<double>();
    } else if (value.is_string()) {
      measured_.words[measure.name] = value.get<std::string>();
    } else {
      throw config::ConfigError(
          {fmt::format("solution.yaml: measures.{}: nothing at {}", measure.name, measure.at)});
    }
  }
  [[nodiscard]] const Measured& measured() const { return measured_; }

 private:
  const Json& output_of(const std::string& command) {
    const auto known = outputs_.find(command);
    if (known != outputs_.end()) return known->second;
    std::vector<std::string> words = words_of(filled(command, parameters_));
    for (std::string& word : words) {
      const std::size_t at = word.find(kSubmission);
      if (at != std::string::npos) word.replace(at, kSubmission.size(), submission_.string());
      if (word.starts_with(kFile)) word = first_line(word.substr(kFile.size()));
    }
    const std::string output = run_(words);
    Json json = Json::parse(output, nullptr, false);
    if (json.is_discarded())
      throw config::ConfigError({"solution.yaml: '" + command + "' prints no JSON"});
    return outputs_[command] = std::move(json);
  }

  /// The first line of a file handed in, whose name ends in a brace.
  std::string first_line(std::string name) const {
    name.pop_back();
    std::ifstream file(submission_ / name);
    std::string line;
    if (!std::getline(file, line)) throw CommandFailed(name + ": not handed in, or empty");
    return line;
  }

  const std::filesystem::path& submission_;
  const Parameters& parameters_;
  const Runner& run_;
  std::map<std::string, Json> outputs_;
  Measured measured_;
};

/// The value of `expression`; nothing if it needs what could not be measured on the student's
/// files.
std::optional<double> value_of(const std::string& expression, const Measured& measured) {
  try {
    return sweep::evaluate(expression, measured.numbers);
  } catch (const sweep::ExpressionError& error) {
    if (!measured.failure.empty()) return std::nullopt;
    throw config::ConfigError({fmt::format("solution.yaml: {}", error.what())});
  }
}

bool is_near(double value, double expected, double tolerance_percent) {
  constexpr double kPercent = 100;
  constexpr double kRounding = 1e-9;  // of decimal text
  return std::abs(value - expected) <=
         std::abs(expected) * (tolerance_percent / kPercent + kRounding);
}

Mark mark_answer(const Question& question, const Expected& expected, const Answer& answer,
                 const Measured& measured) {
  Mark mark{.name = question.id, .most = question.points};
  const std::string mistake = form_mistake(question, answer);
  bool is_right = false;
  if (expected.value.empty()) {
    const std::string word =
        expected.word.empty() ? measured.words.at(expected.word_of) : expected.word;
    mark.expected = word;
    is_right = answer.value == word;
  } else {
    const std::optional<double> value = value_of(expected.value, measured);
    if (!value) {
      mark.reason = mistake.empty() ? "cannot be compared: " + measured.failure : mistake;
      return mark;
    }
    mark.expected = fmt::format("{} {}", *value, question.unit);
    is_right =
        mistake.empty() && is_near(*number_of(answer.value), *value, question.tolerance_percent);
  }
  if (!mistake.empty()) {
    mark.reason = mistake;
    return mark;
  }
  mark.points = is_right ? mark.most : 0;
  mark.reason =
      is_right ? "right"
      : question.tolerance_percent > 0
          ? fmt::format("not within {} % of the expected value", question.tolerance_percent)
          : "not the expected value";
  return mark;
}

Mark mark_check(const Check& check, const Measured& measured) {
  const std::optional<double> value = value_of(check.condition, measured);
  Mark mark{.name = check.name, .most = check.points, .reason = measured.failure};
  if (!value) return mark;
  mark.points = *value != 0 ? check.points : 0;
  mark.reason = *value != 0 ? "met" : "not met";
  return mark;
}

const Expected& expected_of(const Solution& solution, const std::string& id) {
  const auto found = std::ranges::find(solution.answers, id, &Expected::id);
  if (found == solution.answers.end())
    throw config::ConfigError({"solution.yaml: no answer to question " + id});
  return *found;
}

}  // namespace

double Grade::points() const {
  double sum = 0;
  for (const Mark& mark : marks) sum += mark.points;
  return sum;
}

double Grade::most() const {
  double sum = 0;
  for (const Mark& mark : marks) sum += mark.by_hand ? 0 : mark.most;
  return sum;
}

Grade grade(const Lab& lab, const Solution& solution, const std::filesystem::path& submission,
            const std::string& student, const Parameters& parameters, const Runner& run) {
  Measurer measurer(submission, parameters, run);
  for (const Measure& measure : solution.measures) measurer.measure(measure);
  const Sheet sheet = read_sheet(submission, lab);
  Grade result{lab.number, lab.title, student, {}};
  for (const Question& question : lab.questions) {
    if (question.written) {
      result.marks.push_back({.name = question.id,
                              .most = question.points,
                              .reason = "graded by hand",
                              .by_hand = true});
      continue;
    }
    const auto answer = sheet.answers.find(question.id);
    result.marks.push_back(mark_answer(question, expected_of(solution, question.id),
                                       answer == sheet.answers.end() ? Answer{} : answer->second,
                                       measurer.measured()));
  }
  for (const Check& check : solution.checks)
    result.marks.push_back(mark_check(check, measurer.measured()));
  return result;
}

}  // namespace tcsim::labs
