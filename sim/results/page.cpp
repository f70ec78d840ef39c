#include "sim/results/page.hpp"

#include <fmt/format.h>

#include <sstream>
#include <string_view>
#include <vector>

#include "sim/results/page_files.hpp"
#include "sim/stats/writers.hpp"
#include "sim/text/outgoing.hpp"

namespace tcsim::results {
namespace {

/// Numbers stand to the right, and among them the words for one that is missing.
bool stands_right(const Cell& cell, bool among_numbers) {
  return cell.number.has_value() || (cell.is_missing() && among_numbers);
}

std::string cell_html(const Cell& cell, bool heads_row, bool right) {
  std::string attributes;
  if (right) attributes += " class=\"number\"";
  if (cell.number) attributes += fmt::format(" data-value=\"{}\"", stats::shortest(*cell.number));
  if (!cell.metric.empty())
    attributes += fmt::format(" data-metric=\"{}\"", text::xml(cell.metric));
  std::string words = text::xml(cell.text);
  if (!cell.target.empty())
    words = fmt::format("<a href=\"{}\">{}</a>", text::xml(cell.target), words);
  return heads_row ? fmt::format("<th scope=\"row\"{}>{}</th>", attributes, words)
                   : fmt::format("<td{}>{}</td>", attributes, words);
}

/// The head of a column stands where its first cell does.
std::string head_html(const Table& table, const std::vector<bool>& has_numbers) {
  std::string text;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const bool right =
        i > 0 && !table.rows.empty() && stands_right(table.rows.front()[i], has_numbers[i]);
    text += fmt::format("<th scope=\"col\"{}>{}</th>", right ? " class=\"number\"" : "",
                        text::xml(table.columns[i]));
  }
  return text;
}

std::string table_html(const Table& table) {
  std::string text = "<div class=\"scroll\"><table>\n";
  if (!table.caption.empty() && !table.folded)
    text += fmt::format("<caption>{}</caption>\n", text::xml(table.caption));
  const std::vector<bool> has_numbers = table.number_columns();
  text += fmt::format("<thead><tr>{}</tr></thead>\n<tbody>\n", head_html(table, has_numbers));
  for (const auto& row : table.rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      text += cell_html(row[i], i == 0, stands_right(row[i], has_numbers[i]));
    text += "</tr>\n";
  }
  text += "</tbody></table></div>\n";
  if (!table.folded) return text;
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n",
                     table.caption.empty() ? "As a table" : text::xml(table.caption), text);
}

struct HtmlWriter {
  std::string text{};

  void operator()(const Paragraph& paragraph) {
    text += fmt::format("<p>{}</p>\n", text::xml(paragraph.text));
  }
  void operator()(const Table& table) { text += table_html(table); }
  void operator()(const Figure& figure) {
    text += fmt::format("<figure>\n{}", figure.svg);
    if (!figure.caption.empty())
      text += fmt::format("<figcaption>{}</figcaption>\n", text::xml(figure.caption));
    text += "</figure>\n";
  }
  void operator()(const ZoomChart& chart) {
    if (zoom_script().empty()) return;
    text += fmt::format(
        "<div class=\"zoom\" hidden></div>\n"
        "<script type=\"application/json\" class=\"zoom-data\">{}</script>\n",
        chart.json);
  }
  void operator()(const Link& link) {
    text += fmt::format("<a class=\"file\" href=\"{}\">{}</a>\n", text::xml(link.target),
                        text::xml(link.text));
  }
};

std::string section_html(const Section& section) {
  HtmlWriter writer;
  for (const auto& part : section.parts) std::visit(writer, part);
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n{2}"
      "</section>\n",
      section.id, text::xml(section.title), writer.text);
}

std::string navigation_html(const Document& document) {
  std::string text = "<nav aria-label=\"Sections\"><ul>\n";
  for (const Section& section : document.sections)
    text += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", section.id, text::xml(section.title));
  return text + "</ul></nav>\n";
}

/// The terms of the glossary: its lines `- **term**: meaning`.
std::string words_html() {
  constexpr std::string_view kStart = "- **";
  constexpr std::string_view kBetween = "**: ";
  std::string text =
      "<footer>\n<details id=\"words\"><summary>Words: warp, CTA, sector ...</summary>\n<dl>\n";
  std::istringstream lines{std::string(glossary())};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t between = line.find(kBetween);
    if (!line.starts_with(kStart) || between == std::string::npos) continue;
    std::erase(line, '`');
    text += fmt::format("<dt>{}</dt><dd>{}</dd>\n",
                        text::xml(line.substr(kStart.size(), between - kStart.size())),
                        text::xml(line.substr(between + kBetween.size())));
  }
  return text + "</dl>\n</details>\n</footer>\n";
}

}  // namespace

std::string page(const Document& document) {
  std::string text =
      fmt::format("<header>\n<p class=\"run\">tcsim run {}</p>\n<h1>{}</h1>\n</header>\n",
                  text::xml(document.run), text::xml(document.title));
  text += navigation_html(document) + "<main>\n";
  for (const Section& section : document.sections) text += section_html(section);
  text += "</main>\n" + words_html();
  if (!zoom_script().empty())
    text += fmt::format("<script>\n{}\n</script>\n<script>\n{}\n</script>\n", zoom_script(),
                        report_script());
  return text::html_page(document.title, fmt::format("{}\n{}", zoom_style(), report_style()), text);
}

}  // namespace tcsim::results
