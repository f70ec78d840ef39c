#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tcsim::cli {

/// The value of -f/--format.
enum class Format { kText, kJson, kCsv, kMarkdown };

/// Throws ConfigError if `word` is not text, json, csv or md. The caller has seen to `another` that
/// its command takes, which the message names too.
Format parse_format(const std::string& word, std::string_view another = {});

/// What parse_format reads back.
std::string_view format_word(Format format);

/// Rows of cells under column names; every row has as many cells as there are columns.
struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;
};

/// `table` as aligned text, RFC 4180 CSV or a Markdown table. Requires a format other than JSON.
std::string render(const Table& table, Format format);

}  // namespace tcsim::cli
