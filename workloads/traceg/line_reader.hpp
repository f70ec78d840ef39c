#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "workloads/traceg/byte_source.hpp"

namespace tcsim::traceg {

/// Cuts a source into lines. Memory does not grow with the file, only with its longest line.
class LineReader {
 public:
  static constexpr std::size_t kLongestLine = std::size_t{1} << 20;

  explicit LineReader(std::unique_ptr<ByteSource> source);

  /// The next line without its line break in `line`, valid until the next call; false at the end.
  /// Throws trace::Mistake for a line of more than kLongestLine bytes, InputFileError.
  bool next(std::string_view& line);
  /// Of the last line that `next` gave, from 1.
  [[nodiscard]] std::int64_t number() const { return number_; }

 private:
  bool fill();

  std::unique_ptr<ByteSource> source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::int64_t number_ = 0;
};

}  // namespace tcsim::traceg
