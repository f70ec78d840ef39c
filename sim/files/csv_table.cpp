#include "sim/files/csv_table.hpp"

#include <fmt/format.h>

#include <utility>

#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"
#include "sim/files/utf8.hpp"

namespace tcsim::files {

std::vector<CsvField> split_csv_line(std::string_view line, bool& unclosed) {
  std::vector<CsvField> fields{{{}, 1}};
  bool in_quotes = false;
  bool was_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    std::string& text = fields.back().text;
    const bool at_start = fields.back().column == static_cast<int>(i) + 1;
    if (in_quotes && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      text += '"';
      ++i;
    } else if (c == '"' && (in_quotes || at_start)) {
      was_quoted = in_quotes;
      in_quotes = !in_quotes;
      if (at_start) ++fields.back().column;
    } else if (c == ',' && !in_quotes && fields.size() < kMostFields) {
      fields.push_back({{}, static_cast<int>(i) + 2});
      was_quoted = false;
    } else {
      text += c;
      if (was_quoted && c != ' ' && c != '\t') fields.back().has_text_behind_quote = true;
    }
  }
  unclosed = in_quotes;
  return fields;
}

std::optional<QuoteMistake> quote_mistake(const CsvRow& row) {
  const auto broken = std::ranges::find_if(row.fields, &CsvField::has_text_behind_quote);
  if (broken != row.fields.end())
    return QuoteMistake{static_cast<std::size_t>(broken - row.fields.begin()),
                        "text stands behind the closing quote"};
  if (row.unclosed) return QuoteMistake{row.fields.size() - 1, "the quote is not closed"};
  return {};
}

std::string with_commas(std::string_view line) {
  std::string text(line);
  std::ranges::replace_if(
      text, [](char c) { return c == ';' || c == '\t'; }, ',');
  return text;
}

CsvTable::CsvTable(std::string_view text, std::string file)
    : rest_(without_byte_order_mark(text)), file_(std::move(file)) {}

bool CsvTable::next(CsvRow& row) {
  if (rest_.empty()) return false;
  ++line_;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  row.text = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  row.has_return = row.text.ends_with('\r');
  if (row.has_return) row.text.remove_suffix(1);
  row.fields = split_csv_line(row.text, row.unclosed);
  return true;
}

std::string CsvTable::place(int column) const {
  return fmt::format("{}:{}:{}", file_, line(), column);
}

std::string CsvTable::mistake(int column, std::string_view what, std::string_view reason) const {
  return fmt::format("{}: {}: {}", place(column), what, reason);
}

std::string CsvTable::column_mistake(const std::vector<CsvField>& header, std::string_view column,
                                     std::span<const std::string_view> known,
                                     bool is_needed) const {
  if (std::ranges::find(header, column, &CsvField::text) != header.end()) return "";
  std::vector<std::string_view> unknown;
  for (const CsvField& field : header)
    if (std::ranges::find(known, field.text) == known.end()) unknown.push_back(field.text);
  std::string_view near = nearest(column, unknown);
  for (const std::string_view name : unknown)  // "clock_mhz" for "clock_mhz_if_known"
    if (near.empty() && column.starts_with(std::string(name) + "_")) near = name;
  if (!near.empty())
    return mistake(std::ranges::find(header, near, &CsvField::text)->column, "header",
                   fmt::format("column {} is unknown; did you mean \"{}\"?", shown(near), column));
  return is_needed ? mistake(1, "header", fmt::format("column '{}' is missing", column)) : "";
}

}  // namespace tcsim::files
