#include "sim/labs/grade.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "sim/config/error.hpp"
#include "sim/json/parse.hpp"
#include "sim/labs/json_path.hpp"
#include "sim/labs/sheet.hpp"
#include "sim/sweep/expression.hpp"
#include "sim/text/name.hpp"
#include "sim/text/number.hpp"

namespace tcsim::labs {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kSubmission = "{submission}/";
constexpr std::string_view kFile = "{file:";

/// The results of the measures. A measure on the student's own files may fail.
struct Measured {
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> words;
  std::vector<std::string> failures;  ///< of commands on the student's files, each listed once

  [[nodiscard]] std::string failure() const { return fmt::format("{}", fmt::join(failures, "; ")); }
};

std::vector<std::string> words_of(const std::string& command) {
  std::istringstream stream(command);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

config::ConfigError mistake(const std::string& reason) {
  return config::ConfigError({"solution.yaml: " + reason});
}

bool has_only(const std::string& text, std::string_view signs) {
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           signs.find(c) != std::string_view::npos;
  });
}

/// The first line of `text`, which becomes an argument of tcsim: KEY=VALUE, and nothing that could
/// be an option or a path. Throws CommandFailed.
std::string setting_of(const std::string& text) {
  constexpr std::size_t kMostCharacters = 200;
  std::string line = text.substr(0, text.find_first_of("\r\n"));
  line.erase(line.find_last_not_of(" \t") + 1);
  const std::size_t equals = line.find('=');
  const bool is_setting = equals != std::string::npos && equals > 0 && equals + 1 < line.size() &&
                          line.size() <= kMostCharacters &&
                          line.find('=', equals + 1) == std::string::npos && line.front() >= 'a' &&
                          line.front() <= 'z' && has_only(line, "._=+-");
  if (!is_setting) throw CommandFailed("its first line is not a setting KEY=VALUE");
  return line;
}

/// The JSON that a command printed; discarded if it is not JSON. The output of a student's command
/// may be anything.
Json parsed(const std::string& output) {
  try {
    json::check_text(output, "output");
  } catch (const config::ConfigError&) {
    return Json(Json::value_t::discarded);
  }
  return Json::parse(output, nullptr, false);
}

class Measurer {
 public:
  Measurer(const Submission& submission, const Parameters& parameters, Outputs& outputs,
           const Runner& run)
      : submission_(submission), parameters_(parameters), outputs_(outputs), run_(run) {
    for (const auto& [name, value] : parameters)
      measured_.numbers[name] = static_cast<double>(value);
  }

  void measure(const Measure& measure) {
    const bool is_students = measure.command.find(kSubmission) != std::string::npos ||
                             measure.command.find(kFile) != std::string::npos;
    if (is_students)
      measure_students(measure);
    else if (!add(measure, value_at(teachers_output(measure.command), measure.at)))
      throw mistake(fmt::format("measures.{}: nothing at {}", measure.name, measure.at));
  }
  [[nodiscard]] const Measured& measured() const { return measured_; }

 private:
  void measure_students(const Measure& measure) {
    if (gave_up_) return;
    file_.clear();
    try {
      const Json output = parsed(run_(students_job(measure.command)));
      if (output.is_discarded() || !add(measure, value_at(output, measure.at)))
        throw CommandFailed("tcsim gives no result for it");
    } catch (const CommandFailed& error) {
      // A measure that once used all its time does not receive as much again.
      gave_up_ = dynamic_cast<const CommandTimedOut*>(&error) != nullptr;
      const std::string failure = file_ + ": " + error.what();
      if (std::ranges::find(measured_.failures, failure) == measured_.failures.end())
        measured_.failures.push_back(failure);
    }
  }

  /// Stores a number, or a word as tcsim prints it; false if `value` is neither.
  bool add(const Measure& measure, const Json& value) {
    constexpr std::size_t kMostCharacters = 60;
    if (value.is_number()) {
      measured_.numbers[measure.name] = value.get<double>();
      return std::isfinite(value.get<double>());
    }
    if (!value.is_string()) return false;
    const auto& word = value.get_ref<const std::string&>();
    if (word.size() > kMostCharacters || !has_only(word, " ._-/")) return false;
    measured_.words[measure.name] = word;
    return true;
  }

  const Json& teachers_output(const std::string& command) {
    const std::string words = filled(command, parameters_);
    const auto known = outputs_.find(words);
    if (known != outputs_.end()) return known->second;
    Json json = parsed(run_({words_of(words)}));
    if (json.is_discarded()) throw mistake("'" + command + "' does not print JSON");
    return outputs_[words] = std::move(json);
  }

  Job students_job(const std::string& command) {
    Job job{words_of(filled(command, parameters_)), true};
    for (std::string& word : job.arguments) {
      const std::size_t at = word.find(kSubmission);
      if (at != std::string::npos) {
        word.erase(at, kSubmission.size());
        const std::string name = word.substr(at);
        job.files[name] = content_of(name);
      } else if (word.starts_with(kFile)) {
        word = setting_of(content_of(word.substr(kFile.size(), word.size() - kFile.size() - 1)));
      }
    }
    return job;
  }

  std::string content_of(const std::string& name) {
    if (const std::string wrong = text::name_mistake(name); !wrong.empty()) throw mistake(wrong);
    file_ = name;
    HandedIn file = submission_.read(name, kMostBytesHandedIn);
    if (!file.text) throw CommandFailed(file.refusal);
    return std::move(*file.text);
  }

  const Submission& submission_;
  const Parameters& parameters_;
  Outputs& outputs_;
  const Runner& run_;
  Measured measured_;
  std::string file_;  ///< last one read
  bool gave_up_ = false;
};

/// The value of `expression`; nothing if it depends on a failed measure of the student's files.
std::optional<double> value_of(const std::string& expression, const Measured& measured) {
  try {
    return sweep::evaluate(expression, measured.numbers);
  } catch (const sweep::ExpressionError& error) {
    if (!measured.failures.empty()) return std::nullopt;
    throw mistake(error.what());
  }
}

bool is_near(double value, double expected, double tolerance_percent) {
  constexpr double kPercent = 100;
  constexpr double kRounding = 1e-9;  // rounding of decimal text
  return std::abs(value - expected) <=
         std::abs(expected) * (tolerance_percent / kPercent + kRounding);
}

Mark mark_answer(const Question& question, const Expected& expected, const Answer& answer,
                 const Measured& measured) {
  Mark mark{.name = question.id, .most = question.points};
  const std::string wrong_form = form_mistake(question, answer);
  bool is_right = false;
  if (expected.value.empty()) {
    const std::string word =
        expected.word.empty() ? measured.words.at(expected.word_of) : expected.word;
    mark.expected = word;
    is_right = is_same_word(answer.value, word);
  } else {
    const std::optional<double> value = value_of(expected.value, measured);
    if (!value) {
      mark.reason = wrong_form.empty() ? "cannot be compared: " + measured.failure() : wrong_form;
      return mark;
    }
    mark.expected = fmt::format("{} {}", *value, question.unit);
    is_right = wrong_form.empty() &&
               is_near(*text::finite_number_of(answer.value), *value, question.tolerance_percent);
  }
  if (!wrong_form.empty()) {
    mark.reason = wrong_form;
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
  Mark mark{.name = check.name, .most = check.points, .reason = measured.failure()};
  if (!value) return mark;
  mark.points = *value != 0 ? check.points : 0;
  mark.reason = *value != 0 ? "met" : "not met";
  return mark;
}

Mark mark_by_hand(const Question& question) {
  return {
      .name = question.id, .most = question.points, .reason = "graded by hand", .by_hand = true};
}

const Expected& expected_of(const Solution& solution, const std::string& id) {
  const auto found = std::ranges::find(solution.answers, id, &Expected::id);
  if (found == solution.answers.end()) throw mistake("no answer to question " + id);
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

Grade grade(const Lab& lab, const Solution& solution, const Submission& submission,
            const std::string& student, const Parameters& parameters, Outputs& outputs,
            const Runner& run) {
  Measurer measurer(submission, parameters, outputs, run);
  for (const Measure& measure : solution.measures) measurer.measure(measure);
  const Sheet sheet = read_sheet(submission, lab);
  Grade result{lab.number, lab.title, student, {}, sheet.refusal};
  for (const Question& question : lab.questions) {
    if (question.written) {
      result.marks.push_back(mark_by_hand(question));
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

Grade grade_of_nothing(const Lab& lab, const Solution& solution, const std::string& student,
                       const std::string& remark) {
  Grade result{lab.number, lab.title, student, {}, remark};
  for (const Question& question : lab.questions)
    result.marks.push_back(
        question.written
            ? mark_by_hand(question)
            : Mark{.name = question.id, .most = question.points, .reason = "no answer"});
  for (const Check& check : solution.checks)
    result.marks.push_back({.name = check.name, .most = check.points, .reason = "not handed in"});
  return result;
}

}  // namespace tcsim::labs
