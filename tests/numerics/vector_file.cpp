#include "tests/numerics/vector_file.hpp"

#include <zlib.h>

#include <charconv>
#include <stdexcept>

namespace tcsim::numerics {

namespace {

std::vector<std::uint64_t> patterns(const std::string& digits, ElementType type) {
  const std::size_t width = static_cast<std::size_t>(bits(type)) / 4;
  if (width == 0 || digits.size() % width != 0) throw std::runtime_error("bad width: " + digits);
  std::vector<std::uint64_t> values;
  for (std::size_t at = 0; at < digits.size(); at += width) {
    std::uint64_t value = 0;
    std::from_chars(digits.data() + at, digits.data() + at + width, value, 16);
    values.push_back(value);
  }
  return values;
}

}  // namespace

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> words(1);
  for (const char letter : text)
    if (letter == separator)
      words.emplace_back();
    else
      words.back() += letter;
  return words;
}

std::vector<VectorRow> read_vector_file(const std::filesystem::path& path, ElementType input,
                                        ElementType accumulator) {
  gzFile file = gzopen(path.c_str(), "rb");  // reads plain text as it is
  if (file == nullptr) throw std::runtime_error("cannot read " + path.string());
  std::vector<VectorRow> rows;
  char buffer[4096];
  for (int line = 0; gzgets(file, buffer, sizeof buffer) != nullptr; ++line) {
    std::string text(buffer);
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    if (line == 0) {
      if (text != (is_integer(input) ? "cat,a,b,c,d_wrap,d_satfinite" : "cat,a,b,c,d"))
        throw std::runtime_error("bad header: " + text);
      continue;
    }
    const std::vector<std::string> fields = split(text, ',');
    rows.push_back({fields.at(0), patterns(fields.at(1), input), patterns(fields.at(2), input),
                    patterns(fields.at(3), accumulator).at(0),
                    patterns(fields.at(4), accumulator).at(0), std::nullopt});
    if (is_integer(input)) rows.back().d_satfinite = patterns(fields.at(5), accumulator).at(0);
  }
  gzclose(file);
  return rows;
}

}  // namespace tcsim::numerics
