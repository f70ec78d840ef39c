#include "sim/cli/table.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "sim/config/error.hpp"
#include "sim/files/nearest.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::cli {
namespace {

/// In the order of Format.
constexpr std::array<std::string_view, 4> kFormatWords{"text", "json", "csv", "md"};

std::string csv_row(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i)
    line += (i == 0 ? "" : ",") + text::csv_field(cells[i]);
  return line + "\n";
}

std::string text_row(const std::vector<std::string>& cells,
                     const std::vector<std::size_t>& widths) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i)
    line += i + 1 < cells.size() ? fmt::format("{:<{}}  ", cells[i], widths[i]) : cells[i];
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

}  // namespace

Format parse_format(const std::string& word, std::string_view another) {
  const auto found = std::ranges::find(kFormatWords, word);
  if (found != kFormatWords.end())
    return static_cast<Format>(std::distance(kFormatWords.begin(), found));
  std::vector<std::string_view> known(kFormatWords.begin(), kFormatWords.end());
  if (!another.empty()) known.push_back(another);
  throw config::ConfigError(
      {fmt::format("--format: '{}' is not one of {}{}", word, fmt::join(known, ", "),
                   files::did_you_mean(word, known))});
}

std::string_view format_word(Format format) {
  return kFormatWords.at(static_cast<std::size_t>(format));
}

std::string render(const Table& table, Format format) {
  std::string text;
  if (format == Format::kCsv) {
    text = csv_row(table.columns);
    for (const auto& row : table.rows) text += csv_row(row);
    return text;
  }
  if (format == Format::kMarkdown) {
    text = text::markdown_row(table.columns) + "|";
    for (std::size_t i = 0; i < table.columns.size(); ++i) text += "---|";
    text += "\n";
    for (const auto& row : table.rows) text += text::markdown_row(row);
    return text;
  }
  std::vector<std::vector<std::string>> lines{table.columns};
  lines.insert(lines.end(), table.rows.begin(), table.rows.end());
  std::vector<std::size_t> widths(table.columns.size());
  for (auto& line : lines) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      line[i] = text::one_line(line[i]);
      widths[i] = std::max(widths[i], line[i].size());
    }
  }
  for (const auto& line : lines) text += text_row(line, widths);
  return text;
}

}  // namespace tcsim::cli
