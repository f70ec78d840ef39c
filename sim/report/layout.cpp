#include "sim/report/layout.hpp"
#include "sim/text/outgoing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

namespace tcsim::report {
namespace {

bool looks_numeric(const std::string& cell) {
  return cell == "-" ||
         (!cell.empty() && std::isdigit(static_cast<unsigned char>(cell.front())) != 0 &&
          cell.find_first_not_of("0123456789.,") == std::string::npos);
}

/// True for a column in which every cell is a number.
std::vector<bool> numeric_columns(std::size_t count,
                                  const std::vector<std::vector<std::string>>& rows) {
  std::vector<bool> numeric(count, true);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < count; ++i) numeric[i] = numeric[i] && looks_numeric(row[i]);
  }
  return numeric;
}

}  // namespace

std::string with_thousands(std::int64_t value) {
  std::string text = std::to_string(value);
  const std::size_t first_digit = value < 0 ? 1 : 0;
  for (std::size_t position = text.size(); position > first_digit + 3;) {
    position -= 3;
    text.insert(position, ",");
  }
  return text;
}

std::string indented_line(std::string_view title, std::string_view text) {
  return fmt::format("    {:<20} {}\n", title, text);
}

std::string indented(const std::string& table) {
  std::string text;
  for (std::size_t start = 0; start < table.size();) {
    const std::size_t end = std::min(table.find('\n', start), table.size() - 1);
    text += "  " + table.substr(start, end - start + 1);
    start = end + 1;
  }
  return text;
}

std::string readable_time(double microseconds) {
  if (microseconds < 1000) return fmt::format("{:.2f} us", microseconds);
  if (microseconds < 1000000) return fmt::format("{:.3f} ms", microseconds / 1000);
  return fmt::format("{:.2f} s", microseconds / 1000000);
}

std::string bar(double fraction, int width) {
  const int filled = static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * width));
  return std::string(static_cast<std::size_t>(filled), '#') +
         std::string(static_cast<std::size_t>(width - filled), ' ');
}

std::string wrap(const std::vector<std::string>& words, int indent, int width) {
  std::string text;
  std::size_t line_length = 0;
  for (const std::string& word : words) {
    const bool breaks =
        line_length > 0 && line_length + 2 + word.size() > static_cast<std::size_t>(width);
    if (breaks) {
      text += "\n" + std::string(static_cast<std::size_t>(indent), ' ');
      line_length = static_cast<std::size_t>(indent);
    } else if (line_length > 0) {
      text += "  ";
      line_length += 2;
    } else {
      line_length = static_cast<std::size_t>(indent);
    }
    text += word;
    line_length += word.size();
  }
  return text;
}

std::string aligned_table(const std::vector<std::string>& titles,
                          const std::vector<std::vector<std::string>>& raw_rows) {
  std::vector<std::vector<std::string>> rows = raw_rows;
  for (auto& row : rows)
    for (std::string& cell : row) cell = text::one_line(cell);
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    std::size_t width = titles[i].size();
    for (const auto& row : rows) width = std::max(width, row[i].size());
    widths.push_back(width);
  }
  const std::vector<bool> numeric = numeric_columns(titles.size(), rows);
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      line += numeric[i] ? fmt::format("{:>{}}", cells[i], widths[i])
                         : fmt::format("{:<{}}", cells[i], widths[i]);
      line += "  ";
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add_line(titles);
  for (const auto& row : rows) add_line(row);
  return text;
}

std::string markdown_table(const std::vector<std::string>& titles,
                           const std::vector<std::vector<std::string>>& rows) {
  const std::vector<bool> numeric = numeric_columns(titles.size(), rows);
  std::vector<std::string> rules;
  rules.reserve(numeric.size());
  for (const bool is_numeric : numeric) rules.emplace_back(is_numeric ? "---:" : "---");
  std::string text = text::markdown_row(titles) + text::markdown_row(rules);
  for (const auto& row : rows) text += text::markdown_row(row);
  return text;
}

}  // namespace tcsim::report
