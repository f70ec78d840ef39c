#include "sim/labs/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <sstream>
#include <string_view>

#include "sim/text/lower_case.hpp"
#include "sim/text/trimmed.hpp"

namespace tcsim::labs {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

/// Of a word: a letter, a digit, or a byte of a sign that is not ASCII.
bool is_of_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte > 0x7f || std::isalnum(byte) != 0;
}

/// Where the comment, the tag or the `&entity;` at `at` of `text` ends, or `at` if there is none.
std::size_t end_of_hidden(std::string_view text, std::size_t at) {
  constexpr std::string_view kComment = "<!--";
  constexpr std::string_view kCommentEnd = "-->";
  if (text.substr(at).starts_with(kComment)) {
    const std::size_t end = text.find(kCommentEnd, at + kComment.size());
    return end == std::string_view::npos ? text.size() : end + kCommentEnd.size();
  }
  std::size_t end = at + 1;
  if (text[at] == '&') {
    while (end < text.size() && (is_of_word(text[end]) || text[end] == '#')) ++end;
    return end < text.size() && text[end] == ';' ? end + 1 : at;
  }
  if (text[at] != '<' || end == text.size() || (!is_of_word(text[end]) && text[end] != '/'))
    return at;
  end = text.find_first_of("<>", end);
  return end != std::string_view::npos && text[end] == '>' ? end + 1 : at;
}

/// What a reader sees of `text`, in one line and with one digit for every number and every @name@,
/// so that a question reads the same whatever the student's numbers are.
std::string read_line(std::string_view text) {
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end_hidden = end_of_hidden(text, at);
    std::size_t end_number = end_of_marker(text, at);
    while (end_number < text.size() && is_digit(text[end_number])) ++end_number;
    const bool is_gap = end_hidden > at || is_blank(text[at]);
    if (is_gap && !line.empty() && line.back() != ' ')
      line += ' ';
    else if (!is_gap)
      line += end_number > at ? '0' : text[at];
    at = std::max({end_hidden, end_number, at + 1});
  }
  return text::trimmed(line);
}

/// True if something stands in the section of a question that is not the question.
bool is_answered(const std::string& section, const std::string& ask) {
  constexpr std::array<std::string_view, 2> kPlaceholders{"todo", "tbd"};
  std::string rest = read_line(section);
  const std::string question = read_line(ask);
  for (std::size_t at = rest.find(question); at != std::string::npos && !question.empty();
       at = rest.find(question, at + 1))
    rest.replace(at, question.size(), " ");
  for (auto end = rest.cbegin();;) {
    const auto begin = std::find_if(end, rest.cend(), is_of_word);
    if (begin == rest.cend()) return false;
    end = std::find_if_not(begin, rest.cend(), is_of_word);
    const std::string word = text::lower_case({begin, end});
    if (std::ranges::find(kPlaceholders, word) == kPlaceholders.end()) return true;
  }
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
    if (!is_answered(found->second, question.ask))
      mistakes.push_back(fmt::format("{}: {}: no answer", kReportFile, question.id));
  }
  return mistakes;
}

}  // namespace tcsim::labs
