#include "sim/files/read_file.hpp"

#include <algorithm>

#include "sim/files/utf8.hpp"

namespace tcsim::files {
namespace {

constexpr std::size_t kStepBytes = std::size_t{1} << 16;

/// All of `source`.
template <typename Bytes>
Bytes drained(ByteSource& source) {
  Bytes bytes;
  std::size_t used = 0;
  while (true) {
    // The first step holds a file whose size is known; growth by half copies little of others.
    if (used == bytes.size())
      bytes.resize(used + std::max({kStepBytes, used / 2, used == 0 ? source.size_hint() + 1 : 0}));
    const std::size_t count =
        source.read({reinterpret_cast<char*>(bytes.data()) + used, bytes.size() - used});
    used += count;
    if (count > 0) continue;
    bytes.resize(used);
    return bytes;
  }
}

}  // namespace

std::vector<std::uint8_t> read_bytes(const std::filesystem::path& path, FileKind kind) {
  return drained<std::vector<std::uint8_t>>(*open_file(path, kind));
}

std::string read_file(const std::filesystem::path& path, FileKind kind) {
  return read_source(*open_file(path, kind), path.string(), kind);
}

std::string read_source(ByteSource& source, const std::string& name, FileKind kind) {
  auto text = drained<std::string>(source);
  if (info(kind).is_text) require_text(text, name);
  return text;
}

void require_text(std::string_view text, const std::string& name) {
  const std::size_t sound = utf8_length(text);
  if (sound == text.size()) return;
  const std::string_view front = text.substr(0, sound);
  const std::size_t line_start = front.rfind('\n') + 1;  // npos + 1 is 0
  throw ContentError({name + ":" + std::to_string(1 + std::ranges::count(front, '\n')) + ":" +
                      std::to_string(sound - line_start + 1) + ": " +
                      utf8_mistake(text.substr(sound))});
}

}  // namespace tcsim::files
