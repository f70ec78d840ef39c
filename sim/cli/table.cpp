#include "sim/cli/table.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "sim/config/error.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/json_text.hpp"
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

std::string csv_text(const Table& table) {
  std::string text = csv_row(table.columns);
  for (const auto& row : table.rows) text += csv_row(row);
  return text;
}

std::string json_text(const Table& table) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& row : table.rows) {
    auto object = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < row.size(); ++i) object[table.columns[i]] = row[i];
    list.push_back(std::move(object));
  }
  return files::json_text(list, 2) + "\n";
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
  switch (format) {
    case Format::kText:
      return report::aligned_table(table, report::Align::kLeft);
    case Format::kJson:
      return json_text(table);
    case Format::kCsv:
      return csv_text(table);
    case Format::kMarkdown:
      return report::markdown_table(table, report::Align::kLeft);
  }
  throw InternalError("unknown format");
}

}  // namespace tcsim::cli
