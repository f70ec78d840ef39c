#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/files/byte_source.hpp"

namespace tcsim::files {

/// Cuts a text source into lines. Memory use grows only with the longest line, not with the file.
class LineReader {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

  /// `name` is for messages.
  LineReader(std::unique_ptr<ByteSource> source, std::string name);

  /// Gets the next line without its line break (LF or CRLF) in `line`, valid until the next call;
  /// false at the end. Throws ContentError, with the place, for a line of more than kLongestLine
  /// bytes or a line that is not UTF-8; IoError.
  bool next(std::string_view& line);
  /// Number of the last line that `next` returned, from 1.
  [[nodiscard]] std::int64_t number() const { return number_; }

 private:
  bool fill();
  [[noreturn]] void refuse(std::size_t column, const std::string& reason) const;
  [[noreturn]] void refuse_length() const;

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::int64_t number_ = 0;
};

}  // namespace tcsim::files
