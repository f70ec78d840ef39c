#pragma once

#include <string>
#include <string_view>

#include "sim/report/layout.hpp"

namespace tcsim::cli {

/// The value of -f/--format.
enum class Format { kText, kJson, kCsv, kMarkdown };

/// Throws ConfigError if `word` is not text, json, csv or md. The caller handles `another`, a
/// further word that its command takes; the message names it too.
Format parse_format(const std::string& word, std::string_view another = {});

/// What parse_format reads back.
std::string_view format_word(Format format);

using report::Table;

/// `table` as aligned text, an array of JSON objects, RFC 4180 CSV or a Markdown table.
std::string render(const Table& table, Format format);

}  // namespace tcsim::cli
