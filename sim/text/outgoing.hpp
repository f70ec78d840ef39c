#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tcsim::text {

// The one rule for outgoing text: what a file, a name or another program provided is shown, but
// never has an effect. Each destination has its function. Text that tcsim writes itself passes
// through unchanged.

/// For a terminal: control characters, characters that change the writing direction, and bytes that
/// are not UTF-8 are shown as \u001b or \xe9; line feeds and tabs stay. JSON keeps its meaning,
/// because it writes such characters in the same way.
std::string visible(std::string_view text);

/// How many bytes of `text` are whole characters, or bytes that begin none: all except an
/// incomplete character at its end, whose other bytes may follow.
std::size_t whole_characters(std::string_view text);

/// `text`, or as many of its first characters as fit into `bytes` with three dots after them.
/// Requires at least three bytes.
std::string shortened(std::string_view text, std::size_t bytes);

/// For one cell or one line of anything: line feeds and tabs are shown too.
std::string one_line(std::string_view text);

/// For text and attributes of HTML and SVG.
std::string xml(std::string_view text);

/// A page of HTML: `title` is plain text, `style` CSS, `body` its content.
std::string html_page(std::string_view title, std::string_view style, std::string_view body);

/// For one cell, heading or paragraph of Markdown: no markup, no HTML, no line break.
std::string markdown(std::string_view text);

/// A row of a table in Markdown, with its line feed.
std::string markdown_row(const std::vector<std::string>& cells);

/// `block`, lines of plain text, fenced so that none of its lines can end the fence.
std::string markdown_block(std::string_view block);

/// For one CSV field: in quotes if it contains a comma, a quote or a line break. A field that a
/// spreadsheet would compute, because it begins with =, +, -, @, a tab or a line break and is not a
/// number, is prefixed with an apostrophe; a lone "-" is not a formula.
std::string csv_field(std::string_view text);

/// `field` as csv_field was given it, without quotes already: the apostrophe before a formula goes.
std::string from_csv_field(std::string field);

}  // namespace tcsim::text
