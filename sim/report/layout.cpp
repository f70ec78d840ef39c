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

/// True for a column that stands to the right: every cell of it is a number.
std::vector<bool> columns_to_the_right(const Table& table, Align align) {
  std::vector<bool> right(table.columns.size(), align == Align::kNumbersRight);
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < right.size(); ++i) right[i] = right[i] && looks_numeric(row[i]);
  }
  return right;
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

std::string readable_number(double value, int decimals) {
  const double least = 0.95 * std::pow(10.0, 1 - decimals);  // rounded up, it has two digits
  if (!(value > 0) || value >= least) return fmt::format("{:.{}f}", value, decimals);
  constexpr int kMostDecimals = 9;
  const int first_digit = -static_cast<int>(std::floor(std::log10(value)));
  return fmt::format("{:.{}f}", value, std::min(first_digit + 1, kMostDecimals));
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

std::string aligned_table(const Table& table, Align align) {
  std::vector<std::vector<std::string>> lines{table.columns};
  lines.insert(lines.end(), table.rows.begin(), table.rows.end());
  std::vector<std::size_t> widths(table.columns.size());
  for (auto& line : lines) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      line[i] = text::one_line(line[i]);
      widths[i] = std::max(widths[i], line[i].size());
    }
  }
  const std::vector<bool> right = columns_to_the_right(table, align);
  std::string text;
  for (const auto& cells : lines) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      line += right[i] ? fmt::format("{:>{}}", cells[i], widths[i])
                       : fmt::format("{:<{}}", cells[i], widths[i]);
      line += "  ";
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string markdown_table(const Table& table, Align align) {
  std::string text = text::markdown_row(table.columns) + "|";
  for (const bool is_right : columns_to_the_right(table, align))
    text += align == Align::kLeft ? "---|" : is_right ? " ---: |" : " --- |";
  text += "\n";
  for (const auto& row : table.rows) text += text::markdown_row(row);
  return text;
}

}  // namespace tcsim::report
