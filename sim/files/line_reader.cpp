#include "sim/files/line_reader.hpp"

#include <cstring>
#include <utility>

#include "sim/files/content_error.hpp"
#include "sim/files/utf8.hpp"

namespace tcsim::files {
namespace {

constexpr std::size_t kFirstBuffer = std::size_t{64} << 10;

}  // namespace

LineReader::LineReader(std::unique_ptr<ByteSource> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)), buffer_(kFirstBuffer) {}

/// Makes room after the remaining bytes and reads into it; false if the source is at its end.
bool LineReader::fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  const std::size_t size = source_->read(std::span(buffer_).subspan(end_));
  end_ += size;
  return size > 0;
}

void LineReader::refuse(std::size_t column, const std::string& reason) const {
  throw ContentError(
      {name_ + ":" + std::to_string(number_) + ":" + std::to_string(column) + ": " + reason});
}

void LineReader::refuse_length() const {
  refuse(kLongestLine, "line: longer than 1 MiB; no such text has that");
}

bool LineReader::next(std::string_view& line) {
  ++number_;
  std::size_t searched = 0;
  while (true) {
    const char* const start = buffer_.data() + begin_;
    const std::size_t size = end_ - begin_;
    const void* const found = std::memchr(start + searched, '\n', size - searched);
    if (found != nullptr) {
      line = {start, static_cast<std::size_t>(static_cast<const char*>(found) - start)};
      begin_ += line.size() + 1;
      break;
    }
    if (size > kLongestLine) refuse_length();
    searched = size;
    if (fill()) continue;
    if (size == 0) return false;
    line = {buffer_.data() + begin_, size};
    begin_ = end_;
    break;
  }
  if (line.size() > kLongestLine) refuse_length();
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (const std::size_t sound = utf8_length(line); sound < line.size())
    refuse(sound + 1, utf8_mistake(line.substr(sound)));
  return true;
}

}  // namespace tcsim::files
