#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/files/byte_source.hpp"

namespace tcsim::files {

/// Cuts a source of text into lines. Memory does not grow with the file, only with its longest
/// line.
class LineReader {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

  /// `name` is for messages.
  LineReader(std::unique_ptr<ByteSource> source, std::string name);

  /// The next line without its line break (LF or CRLF) in `line`, valid until the next call; false
  /// at the end. Throws ContentError, with its place, for a line of more than kLongestLine bytes or
  /// one that is not UTF-8; IoError.
  bool next(std::string_view& line);
  /// Of the last line that `next` gave, from 1.
  [[nodiscard]] std::int64_t number() const { return number_; }

 private:
  bool fill();
  [[noreturn]] void refuse(std::size_t column, const std::string& reason) const;

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::int64_t number_ = 0;
};

}  // namespace tcsim::files
