#include "sim/labs/grade.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>

#include "sim/config/error.hpp"
#include "sim/files/read_file.hpp"
#include "sim/json/parse.hpp"
#include "sim/labs/json_path.hpp"
#include "sim/labs/setting.hpp"
#include "sim/labs/sheet.hpp"
#include "sim/sweep/expression.hpp"
#include "sim/text/name.hpp"

namespace tcsim::labs {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kLabFolder = "{lab}/";
constexpr std::string_view kSubmission = "{submission}/";
constexpr std::string_view kFile = "{file:";

/// The results of the measures. A measure on the student's own files may fail.
struct Measured {
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> words;
  std::vector<std::string> of_students;  ///< measures on the student's files
  std::vector<std::string> failures;     ///< of commands on the student's files, each listed once

  /// Why something has no value.
  [[nodiscard]] std::string failure() const {
    return failures.empty() ? "no number follows from what tcsim gives for the files handed in"
                            : fmt::format("{}", fmt::join(failures, "; "));
  }
};

std::vector<std::string> words_of(const std::string& command) {
  std::istringstream stream(command);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// A mistake of the solution at `where`, `file:line:column: key`.
config::ConfigError mistake(const std::string& where, const std::string& reason) {
  return config::ConfigError({where + ": " + reason});
}

std::string key_of(const Measure& measure) {
  return fmt::format("{}: measures.{}", measure.place, measure.name);
}

bool has_only(const std::string& text, std::string_view signs) {
  return std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           signs.find(c) != std::string_view::npos;
  });
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
  Measurer(const Lab& lab, const Solution& solution, const Submission& submission,
           const Parameters& parameters, Outputs& outputs, const Runner& run)
      : lab_(lab),
        solution_(solution),
        submission_(submission),
        parameters_(parameters),
        outputs_(outputs),
        run_(run) {
    for (const auto& [name, value] : parameters)
      measured_.numbers[name] = static_cast<double>(value);
  }

  void measure(const Measure& measure) {
    const bool is_students = measure.command.find(kSubmission) != std::string::npos ||
                             measure.command.find(kFile) != std::string::npos;
    if (is_students)
      measure_students(measure);
    else if (!add(measure, value_at(teachers_output(measure), measure.at)))
      throw mistake(key_of(measure),
                    fmt::format("no {} at {}", is_word(measure) ? "word" : "number", measure.at));
  }
  [[nodiscard]] const Measured& measured() const { return measured_; }

 private:
  void measure_students(const Measure& measure) {
    measured_.of_students.push_back(measure.name);
    if (gave_up_) return;
    file_.clear();
    try {
      const Json output = parsed(run_(job_of(measure, true)));
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

  /// True if an answer is the text of `measure`; of other measures, only numbers are of use.
  [[nodiscard]] bool is_word(const Measure& measure) const {
    return std::ranges::find(solution_.answers, measure.name, &Expected::word_of) !=
           solution_.answers.end();
  }

  /// Stores the number, or the word as tcsim prints it; false if `value` is not what is wanted.
  bool add(const Measure& measure, const Json& value) {
    constexpr std::size_t kMostCharacters = 60;
    if (!is_word(measure)) {
      if (!value.is_number() || !std::isfinite(value.get<double>())) return false;
      measured_.numbers[measure.name] = value.get<double>();
      return true;
    }
    if (!value.is_string()) return false;
    const auto& word = value.get_ref<const std::string&>();
    if (word.size() > kMostCharacters || !has_only(word, " ._-/")) return false;
    measured_.words[measure.name] = word;
    return true;
  }

  const Json& teachers_output(const Measure& measure) {
    const Job job = job_of(measure, false);
    const std::string words = filled(measure.command, parameters_);
    std::string key = words;
    for (const auto& [name, content] : job.files) key += fmt::format("\n{}\n{}", name, content);
    const auto known = outputs_.find(key);
    if (known != outputs_.end()) return known->second;
    Json json;
    try {
      json = parsed(run_(job));
    } catch (const CommandFailed& error) {
      throw mistake(key_of(measure), fmt::format("'tcsim {}' fails: {}", words, error.what()));
    }
    if (json.is_discarded())
      throw mistake(key_of(measure), fmt::format("'tcsim {}' does not print JSON", words));
    return outputs_[key] = std::move(json);
  }

  Job job_of(const Measure& measure, bool is_students) {
    Job job{words_of(filled(measure.command, parameters_)), is_students};
    std::vector<std::string> names;
    for (std::string& word : job.arguments) {
      if (word.starts_with(kFile)) {
        const std::string name = word.substr(kFile.size(), word.size() - kFile.size() - 1);
        const std::optional<std::string> setting = setting_of(handed_in(measure, name));
        if (!setting) throw CommandFailed(kNoSetting);
        word = *setting;
        names.push_back(name);
      } else if (const std::string own = without(word, kLabFolder); !own.empty()) {
        require_name(measure, own);
        job.files[own] =
            filled(files::read_file(lab_.folder / own, files::FileKind::kLab), parameters_);
      } else if (const std::string name = without(word, kSubmission); !name.empty()) {
        job.files[name] = handed_in(measure, name);
        names.push_back(name);
      }
    }
    file_ = fmt::format("{}", fmt::join(names, ", "));
    return job;
  }

  /// Removes `folder` from `word`, and returns the name of the file that follows it, if it is
  /// there.
  static std::string without(std::string& word, std::string_view folder) {
    const std::size_t at = word.find(folder);
    if (at == std::string::npos) return "";
    word.erase(at, folder.size());
    return word.substr(at);
  }

  static void require_name(const Measure& measure, const std::string& name) {
    const std::string wrong = text::name_mistake(name);
    if (!wrong.empty()) throw mistake(key_of(measure), wrong);
  }

  std::string handed_in(const Measure& measure, const std::string& name) {
    require_name(measure, name);
    file_ = name;
    HandedIn file = submission_.read(name, kMostBytesHandedIn);
    if (!file.text) throw CommandFailed(file.refusal);
    return std::move(*file.text);
  }

  const Lab& lab_;
  const Solution& solution_;
  const Submission& submission_;
  const Parameters& parameters_;
  Outputs& outputs_;
  const Runner& run_;
  Measured measured_;
  std::string file_;  ///< being read, or all that the command that runs has read
  bool gave_up_ = false;
};

/// The value of `expression`; nothing if it depends on a failed measure of the student's files, or
/// if what these give makes it no finite number.
std::optional<double> value_of(const std::string& expression, const Measured& measured,
                               const std::string& where) {
  try {
    return sweep::evaluate(expression, measured.numbers);
  } catch (const sweep::NotFinite& error) {
    const auto is_used = [&](const std::string& name) { return sweep::has_name(expression, name); };
    if (std::ranges::any_of(measured.of_students, is_used)) return std::nullopt;
    throw mistake(where, error.what());
  } catch (const sweep::ExpressionError& error) {
    if (!measured.failures.empty()) return std::nullopt;
    throw mistake(where, error.what());
  }
}

/// The right word; nothing if its measure failed, which is then one of the student's files.
std::optional<std::string> word_of(const Expected& expected, const Measured& measured) {
  if (expected.word_of.empty()) return expected.word;
  const auto found = measured.words.find(expected.word_of);
  return found == measured.words.end() ? std::nullopt : std::optional(found->second);
}

bool is_near(double value, double expected, double tolerance_percent) {
  constexpr double kPercent = 100;
  constexpr double kRounding = 1e-9;  // rounding of decimal text
  return std::abs(value - expected) <=
         std::abs(expected) * (tolerance_percent / kPercent + kRounding);
}

std::string with_unit(double value, const std::string& unit) {
  return fmt::format("{:.10g}{}", value, unit == "1" ? "" : " " + unit);
}

Mark mark_answer(const Question& question, const Expected& expected, const Answer& answer,
                 const Measured& measured) {
  Mark mark{.name = question.id, .most = question.points};
  const std::string wrong_form = form_mistake(question, answer);
  std::optional<std::string> word;
  std::optional<double> value;
  if (expected.value.empty())
    word = word_of(expected, measured);
  else
    value = value_of(expected.value, measured,
                     fmt::format("{}: answers.{}", expected.place, expected.id));
  if (word)
    mark.expected = *word;
  else if (value)
    mark.expected = with_unit(*value, question.unit);
  if (!wrong_form.empty() || (!word && !value)) {
    mark.reason = wrong_form.empty() ? "cannot be compared: " + measured.failure() : wrong_form;
    return mark;
  }
  const bool is_right = word ? is_same_word(answer.value, *word)
                             : is_near(*number_in(answer), *value, question.tolerance_percent);
  mark.points = is_right ? mark.most : 0;
  mark.reason =
      is_right ? "right"
      : question.tolerance_percent > 0
          ? fmt::format("not within {} % of the expected value", question.tolerance_percent)
          : "not the expected value";
  return mark;
}

Mark mark_check(const Check& check, const Measured& measured) {
  const std::optional<double> value =
      value_of(check.condition, measured, fmt::format("{}: checks.{}", check.place, check.name));
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

const Expected& expected_of(const Solution& solution, const Question& question) {
  const auto found = std::ranges::find(solution.answers, question.id, &Expected::id);
  if (found == solution.answers.end())
    throw mistake(solution.file, "answers: none to the question " + question.id);
  if (found->value.empty() == question.words.empty())
    throw mistake(fmt::format("{}: answers.{}", found->place, found->id),
                  question.words.empty() ? "the question asks for a number; state its value"
                                         : "the question asks for a word; state word or word_of");
  return *found;
}

/// The lab that a submission says it is of; nothing if it does not say so.
std::optional<int> stated_lab(const Submission& submission) {
  try {
    return lab_number_of(submission);
  } catch (const UnknownLab&) {
    return std::nullopt;
  }
}

std::string other_numbers_remark(int line, const Parameters& parameters) {
  std::vector<std::string> own;
  for (const auto& [name, value] : parameters) own.push_back(fmt::format("{} = {}", name, value));
  return fmt::format("{}:{}: the sheet was made for other personal numbers; yours: {}", kSheetFile,
                     line, fmt::join(own, ", "));
}

/// That the submission is of another lab, or else whether the sheet has somebody else's numbers,
/// and the first mistakes of this sheet that anybody may have filled.
std::string remark_of(const Submission& submission, const Sheet& sheet, const Lab& lab,
                      const Parameters& parameters) {
  if (const auto stated = stated_lab(submission); stated && *stated != lab.number)
    return fmt::format("lab.yaml: a submission of lab {}, not of lab {}", *stated, lab.number);
  std::vector<std::string> remarks;
  if (const int line = line_for_other_numbers(sheet, lab, parameters); line != 0)
    remarks.push_back(other_numbers_remark(line, parameters));
  remarks.insert(remarks.end(), sheet.mistakes.begin(), sheet.mistakes.end());
  constexpr std::size_t kMost = 5;
  const std::size_t all = remarks.size();
  remarks.resize(std::min(all, kMost));
  std::string remark = fmt::format("{}", fmt::join(remarks, "; "));
  if (all > kMost) remark += fmt::format("; and {} more", all - kMost);
  return remark;
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
  Measurer measurer(lab, solution, submission, parameters, outputs, run);
  for (const Measure& measure : solution.measures) measurer.measure(measure);
  const Sheet sheet = read_sheet(submission, lab);
  Grade result{lab.number, lab.title, student, {}, remark_of(submission, sheet, lab, parameters)};
  for (const Question& question : lab.questions) {
    if (question.written) {
      result.marks.push_back(mark_by_hand(question));
      continue;
    }
    const auto answer = sheet.answers.find(question.id);
    result.marks.push_back(mark_answer(question, expected_of(solution, question),
                                       answer == sheet.answers.end() ? Answer{} : answer->second,
                                       measurer.measured()));
    if (!sheet.is_read()) result.marks.back().reason = sheet.refusal;
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
        question.written ? mark_by_hand(question)
                         : Mark{.name = question.id, .most = question.points, .reason = remark});
  for (const Check& check : solution.checks)
    result.marks.push_back({.name = check.name, .most = check.points, .reason = "not handed in"});
  return result;
}

}  // namespace tcsim::labs
