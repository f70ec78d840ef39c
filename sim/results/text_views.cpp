#include "sim/results/text_views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <sstream>
#include <utility>

#include "sim/report/layout.hpp"
#include "sim/stats/writers.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::results {
namespace {

constexpr int kWidth = 100;

std::vector<std::vector<std::string>> texts_of(const Table& table) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    cells.reserve(row.size());
    for (const Cell& cell : row) cells.push_back(cell.text);
    rows.push_back(std::move(cells));
  }
  return rows;
}

/// Cuts the long values of a row, after its key, so that what is left shows where they differ.
void shorten(std::vector<std::string>& row) {
  constexpr std::size_t kMost = 56;
  constexpr std::size_t kBefore = 8;  // of the part that they share
  std::vector<std::string*> long_ones;
  for (std::size_t i = 1; i < row.size(); ++i)
    if (row[i].size() > kMost) long_ones.push_back(&row[i]);
  if (long_ones.empty()) return;
  const std::string first = *long_ones.front();
  bool differ = false;
  std::size_t shared = first.size();
  for (const std::string* value : long_ones) {
    differ = differ || *value != first;
    const auto until = std::ranges::mismatch(first, *value).in1;
    shared = std::min(shared, static_cast<std::size_t>(until - first.begin()));
  }
  const bool is_seen = !differ || shared + kBefore < kMost;
  for (std::string* value : long_ones) {
    const std::size_t left_out =
        is_seen ? 0 : text::whole_characters(value->substr(0, shared - kBefore));
    *value = text::shortened((is_seen ? "" : "...") + value->substr(left_out), kMost);
  }
}

std::string wrapped(const std::string& text) {
  std::string result;
  std::size_t length = 0;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (length > 0 && length + 1 + word.size() > kWidth) {
      result += '\n';
      length = 0;
    } else if (length > 0) {
      result += ' ';
      ++length;
    }
    result += word;
    length += word.size();
  }
  return result + "\n";
}

struct TextWriter {
  std::string text{};

  void operator()(const Paragraph& paragraph) { text += wrapped(paragraph.text); }
  void operator()(const Table& table) {
    if (!table.caption.empty()) text += table.caption + ":\n";
    std::vector<std::vector<std::string>> rows = texts_of(table);
    if (table.compares) std::ranges::for_each(rows, shorten);
    text += report::aligned_table({table.columns, std::move(rows)});
  }
  void operator()(const Figure& figure) {
    text += figure.ascii;
    if (!figure.caption.empty()) text += wrapped(figure.caption);
  }
  void operator()(const ZoomChart& /*chart*/) {}
  void operator()(const Link& link) { text += "file " + link.target + "\n"; }
};

struct MarkdownWriter {
  std::string text{};

  void operator()(const Paragraph& paragraph) { text += text::markdown(paragraph.text) + "\n\n"; }
  void operator()(const Table& table) {
    if (!table.caption.empty()) text += text::markdown(table.caption) + ":\n\n";
    text += report::markdown_table({table.columns, texts_of(table)}) + "\n";
  }
  void operator()(const Figure& figure) {
    text += text::markdown_block(figure.ascii) + "\n";
    if (!figure.caption.empty()) text += text::markdown(figure.caption) + "\n\n";
  }
  void operator()(const ZoomChart& /*chart*/) {}
  void operator()(const Link& link) {
    text += fmt::format("- [{}](<{}>)\n", text::markdown(link.text), text::markdown(link.target));
  }
};

Json cell_json(const Cell& cell, bool among_numbers) {
  if (const std::optional<double> number = cell.in_column()) return *number;
  return cell.is_missing() && among_numbers ? Json() : Json(cell.text);
}

Json table_json(const Table& table) {
  Json json{{"caption", table.caption}, {"columns", table.columns}, {"rows", Json::array()}};
  const std::vector<bool> has_numbers = table.number_columns();
  for (const auto& row : table.rows) {
    Json cells = Json::array();
    for (std::size_t i = 0; i < row.size(); ++i) cells.push_back(cell_json(row[i], has_numbers[i]));
    json["rows"].push_back(std::move(cells));
  }
  return json;
}

/// A metric or fact as it is stored, and whole numbers, in full; others without the last digits,
/// which are the rounding of sums and products.
std::string csv_value(const Cell& cell) {
  if (const std::optional<double> number = cell.in_column()) {
    const bool is_stored = !cell.metric.empty() && cell.scale == 1;
    return is_stored || *number == std::trunc(*number) ? stats::shortest(*number)
                                                       : fmt::format("{:.12g}", *number);
  }
  return cell.is_missing() ? "" : text::csv_field(cell.text);
}

}  // namespace

std::string section_text(const Section& section) {
  TextWriter writer;
  for (const auto& part : section.parts) {
    if (!writer.text.empty() && !std::holds_alternative<ZoomChart>(part) &&
        !std::holds_alternative<Link>(part))
      writer.text += "\n";
    std::visit(writer, part);
  }
  return fmt::format("{}\n{}\n{}", section.title, std::string(section.title.size(), '='),
                     writer.text);
}

std::string document_text(const Document& document) {
  std::string text = document.title + "\n";
  for (const bool is_last : {false, true})
    for (const Section& section : document.sections)
      if (section.is_last_in_text == is_last) text += "\n" + section_text(section);
  return text;
}

std::string section_markdown(const Section& section) {
  MarkdownWriter writer;
  for (const auto& part : section.parts) std::visit(writer, part);
  return fmt::format("## {}\n\n{}", text::markdown(section.title), writer.text);
}

std::string document_markdown(const Document& document) {
  std::string text = fmt::format("# {}\n\n", text::markdown(document.title));
  for (const Section& section : document.sections) text += section_markdown(section);
  return text;
}

Json document_json(const Document& document) {
  Json json{{"title", document.title}, {"run", document.run}, {"sections", Json::array()}};
  for (const Section& section : document.sections) {
    Json entry{{"id", section.id},
               {"title", section.title},
               {"text", Json::array()},
               {"tables", Json::array()}};
    for (const auto& part : section.parts) {
      if (const auto* paragraph = std::get_if<Paragraph>(&part))
        entry["text"].push_back(paragraph->text);
      if (const auto* table = std::get_if<Table>(&part))
        entry["tables"].push_back(table_json(*table));
    }
    json["sections"].push_back(std::move(entry));
  }
  return json;
}

std::string document_csv(const Document& document) {
  std::string text = "run,section,table,row,column,value\n";
  for (const Section& section : document.sections) {
    int number = 0;
    for (const auto& part : section.parts) {
      const auto* table = std::get_if<Table>(&part);
      if (table == nullptr) continue;
      ++number;
      for (const auto& row : table->rows) {
        const Cell& key = row.front();
        const std::string name = key.number ? csv_value(key) : text::csv_field(key.text);
        // A number means nothing without the name of its column, so it is a value, too.
        for (std::size_t i = key.number ? 0 : 1; i < row.size(); ++i)
          text += fmt::format("{},{},{},{},{},{}\n", text::csv_field(document.run), section.id,
                              number, name, text::csv_field(table->columns[i]), csv_value(row[i]));
      }
    }
  }
  return text;
}

}  // namespace tcsim::results
