#include "sim/labs/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string_view>

#include "sim/text/trimmed.hpp"

namespace tcsim::labs {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Where the @name@ at `at` of `text` ends, or `at` if there is none.
std::size_t end_of_marker(std::string_view text, std::size_t at) {
  if (text[at] != '@') return at;
  std::size_t end = at + 1;
  while (end < text.size() && (text[end] == '_' || (text[end] >= 'a' && text[end] <= 'z'))) ++end;
  return end > at + 1 && end < text.size() && text[end] == '@' ? end + 1 : at;
}

/// `text` without blank lines, and with one sign for every number and every @name@, so that a
/// question reads the same whatever the student's numbers are.
std::string without_numbers(const std::string& text) {
  std::string kept;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    line = text::trimmed(line);
    for (std::size_t at = 0; at < line.size();) {
      std::size_t end = end_of_marker(line, at);
      while (end < line.size() && is_digit(line[end])) ++end;
      kept += end > at ? '#' : line[at];
      at = std::max(end, at + 1);
    }
    if (!line.empty()) kept += '\n';
  }
  return kept;
}

/// The written question whose section starts with the heading `line`, or nothing.
const Question* section_of(const std::string& line, const Lab& lab) {
  constexpr std::string_view kMark = "## ";
  if (!line.starts_with(kMark)) return nullptr;
  const std::string words = text::trimmed(line.substr(kMark.size()));
  const Question* const question = lab.question(words.substr(0, words.find(' ')));
  return question != nullptr && question->written ? question : nullptr;
}

}  // namespace

std::string report_form(const Lab& lab, const Parameters& parameters) {
  std::string text = fmt::format("# Lab {}: {}\n", lab.number, lab.title);
  for (const Question& question : lab.questions) {
    if (question.written)
      text += fmt::format("\n## {} ({:g} points)\n\n{}\n", question.id, question.points,
                          filled(question.ask, parameters));
  }
  return text;
}

std::vector<std::string> report_mistakes(const std::string& text, const Lab& lab) {
  std::map<std::string, std::string> sections;
  std::string* section = nullptr;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (const Question* const question = section_of(line, lab))
      section = &sections[question->id];
    else if (section != nullptr)
      *section += line + "\n";
  }
  std::vector<std::string> mistakes;
  for (const Question& question : lab.questions) {
    if (!question.written) continue;
    const auto found = sections.find(question.id);
    if (found == sections.end()) {
      mistakes.push_back(
          fmt::format("{}: {}: no section ## {}", kReportFile, question.id, question.id));
      continue;
    }
    const std::string written = without_numbers(found->second);
    if (written.empty() || written == without_numbers(question.ask))
      mistakes.push_back(fmt::format("{}: {}: no answer", kReportFile, question.id));
  }
  return mistakes;
}

}  // namespace tcsim::labs
