#include "sim/labs/sheet.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "sim/files/csv_table.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/read_file.hpp"
#include "sim/files/utf8.hpp"
#include "sim/labs/report.hpp"
#include "sim/labs/setting.hpp"
#include "sim/text/lower_case.hpp"
#include "sim/text/number.hpp"
#include "sim/text/outgoing.hpp"
#include "sim/text/trimmed.hpp"

namespace tcsim::labs {
namespace {

constexpr std::string_view kHeader = "question,value,unit,what";
constexpr std::size_t kColumns = 4;

/// Always in quotes, because the sheets that students have are written that way.
std::string quoted_field(const std::string& text) {
  const std::string field = text::csv_field(text);
  return field.starts_with('"') ? field : "\"" + field + "\"";
}

/// `row` is line `number` of the sheet.
void read_row(const files::CsvRow& row, int number, const Lab& lab, Sheet& sheet) {
  const std::vector<files::CsvField>& fields = row.fields;
  const auto refuse = [&](const std::string& reason) {
    sheet.mistakes.push_back(fmt::format("{}:{}: {}", kSheetFile, number, reason));
  };
  if (row.unclosed) return refuse("a quote is not closed");
  if (fields.size() < 3) return refuse("expected question, value and unit");
  if (fields.size() > kColumns)
    return refuse(fmt::format("{} fields, not {}; a decimal comma?", fields.size(), kColumns));
  const std::string id = text::trimmed(fields[0].text);
  const Question* const question = lab.question(id);
  if (question == nullptr) {
    std::vector<std::string_view> ids;
    for (const Question& each : lab.questions) ids.emplace_back(each.id);
    return refuse(
        fmt::format("not a question of lab {}{}", lab.number, files::did_you_mean(id, ids)));
  }
  const Answer answer{text::trimmed(fields[1].text), text::trimmed(fields[2].text), number,
                      fields.size() > 3 ? text::trimmed(fields[3].text) : ""};
  if (!sheet.answers.emplace(id, answer).second) refuse(fmt::format("{} is answered twice", id));
}

std::vector<std::string> texts_of(std::string_view line) {
  bool unclosed = false;
  std::vector<std::string> texts;
  for (const files::CsvField& field : files::split_csv_line(line, unclosed))
    texts.push_back(text::trimmed(field.text));
  return texts;
}

bool is_header(std::string_view line) { return texts_of(line) == texts_of(kHeader); }

/// What the sheet of a student asks.
std::string what_of(const Question& question, const Parameters& parameters) {
  std::string what = filled(question.ask, parameters);
  if (!question.words.empty()) what += fmt::format(" (one of {})", fmt::join(question.words, ", "));
  return what;
}

/// `text` with one digit for every number.
std::string without_numbers(const std::string& text) {
  std::string shape;
  for (const char c : text) {
    const bool is_of_number = c >= '0' && c <= '9';
    if (!is_of_number || !shape.ends_with('0')) shape += is_of_number ? '0' : c;
  }
  return shape;
}

/// True if the lab has its students start from a setting in `file`.
bool starts_as_setting(const Lab& lab, const std::string& file) {
  const std::filesystem::path path = lab.folder / file;
  return std::filesystem::is_regular_file(path) &&
         setting_of(files::read_file(path, files::FileKind::kLab)).has_value();
}

}  // namespace

Sheet read_sheet(const Submission& submission, const Lab& lab) {
  Sheet sheet;
  const HandedIn file = submission.read(kSheetFile, kMostBytesHandedIn);
  if (!file.text) {
    sheet.refusal = fmt::format("{}: {}", kSheetFile, file.refusal);
    sheet.mistakes.push_back(sheet.refusal);
    return sheet;
  }
  try {
    files::require_text(*file.text, kSheetFile);
  } catch (const files::ContentError& error) {
    sheet.refusal = error.what();
    sheet.mistakes.push_back(sheet.refusal);
    return sheet;
  }
  files::CsvTable table(*file.text, kSheetFile);
  files::CsvRow row;
  table.next(row);
  if (!is_header(row.text)) {
    const bool is_otherwise = is_header(files::with_commas(row.text));
    sheet.refusal = fmt::format("{}:1: {}", kSheetFile,
                                is_otherwise ? std::string(files::kUseCommas)
                                             : fmt::format("the first line must be {}", kHeader));
    sheet.mistakes.push_back(sheet.refusal);
    if (is_otherwise) return sheet;
  }
  while (table.next(row))
    if (!text::trimmed(row.text).empty()) read_row(row, table.line(), lab, sheet);
  return sheet;
}

std::string blank_sheet(const Lab& lab, const Parameters& parameters) {
  std::string text = std::string(kHeader) + "\n";
  for (const Question& question : lab.questions) {
    if (question.written) continue;
    text += fmt::format("{},,{},{}\n", question.id, text::csv_field(question.unit),
                        quoted_field(what_of(question, parameters)));
  }
  return text;
}

int line_for_other_numbers(const Sheet& sheet, const Lab& lab, const Parameters& parameters) {
  for (const Question& question : lab.questions) {
    const auto answer = sheet.answers.find(question.id);
    const bool is_personal = filled(question.ask, parameters) != question.ask;
    if (answer == sheet.answers.end() || !is_personal) continue;
    const std::string& stated = answer->second.what;
    const std::string own = what_of(question, parameters);
    if (stated != own && without_numbers(stated) == without_numbers(own))
      return answer->second.line;
  }
  return 0;
}

std::optional<double> number_in(const Answer& answer) {
  std::string_view value = answer.value;
  if (value.starts_with('+') && !value.starts_with("+-")) value.remove_prefix(1);
  return text::finite_number_of(value);
}

bool is_same_word(const std::string& one, const std::string& other) {
  return text::lower_case(one) == text::lower_case(other);
}

std::string form_mistake(const Question& question, const Answer& answer) {
  if (answer.value.empty()) return "no answer";
  if (!question.words.empty()) {  // which have no unit, whatever the sheet states
    const auto is_it = [&](const std::string& word) { return is_same_word(word, answer.value); };
    if (std::ranges::any_of(question.words, is_it)) return "";
    return fmt::format("not one of {}", fmt::join(question.words, ", "));
  }
  if (answer.unit != question.unit)
    return fmt::format("wrong unit: the sheet asks for '{}'", question.unit);
  return number_in(answer) ? "" : "not a number (decimal point, no thousands separators)";
}

std::vector<std::string> check_submission(const Submission& submission, const Lab& lab) {
  const Sheet sheet = read_sheet(submission, lab);
  std::vector<std::string> mistakes = sheet.mistakes;
  for (const Question& question : lab.questions) {
    if (question.written || !sheet.is_read()) continue;
    const auto answer = sheet.answers.find(question.id);
    const std::string mistake =
        answer == sheet.answers.end() ? "no row" : form_mistake(question, answer->second);
    if (mistake.empty()) continue;
    const int line = answer == sheet.answers.end() ? 1 : answer->second.line;
    mistakes.push_back(fmt::format("{}:{}: {}: {}", kSheetFile, line, question.id, mistake));
  }
  for (const std::string& file : lab.files) {
    const HandedIn handed_in = submission.read(file, kMostBytesHandedIn);
    if (!handed_in.text)
      mistakes.push_back(file + ": " + handed_in.refusal);
    else if (starts_as_setting(lab, file) && !setting_of(*handed_in.text))
      mistakes.push_back(file + ": " + kNoSetting);
  }
  if (std::ranges::none_of(lab.questions, &Question::written)) return mistakes;
  const HandedIn report = submission.read(kReportFile, kMostBytesHandedIn);
  if (!report.text) {
    mistakes.push_back(std::string(kReportFile) + ": " + report.refusal);
    return mistakes;
  }
  const std::vector<std::string> of_report = report_mistakes(*report.text, lab);
  mistakes.insert(mistakes.end(), of_report.begin(), of_report.end());
  return mistakes;
}

int lab_number_of(const Submission& submission) {
  const HandedIn file = submission.read("lab.yaml", kMostBytesHandedIn);
  if (!file.text) throw UnknownLab("lab.yaml: " + file.refusal);
  std::istringstream lines{std::string(files::without_byte_order_mark(*file.text))};
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kKey = "lab:";
    if (!line.starts_with(kKey)) continue;
    const std::size_t comment = std::min(line.find(" #"), line.find("\t#"));
    const std::optional<double> number =
        text::finite_number_of(text::trimmed(line.substr(0, comment).substr(kKey.size())));
    constexpr double kMost = 1000;
    if (number && *number >= 1 && *number <= kMost) return static_cast<int>(*number);
  }
  throw UnknownLab("lab.yaml: gives no lab number");
}

}  // namespace tcsim::labs
