#include "tests/config/machine_text.hpp"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "sim/config/error.hpp"
#include "tests/support/text_of.hpp"

namespace tcsim::config {

std::string source_text(const std::string& path) {
  return test::text_of(std::string(TC_TEST_SOURCE) + "/" + path);
}

std::string plain_a100() {
  std::istringstream lines(source_text("configs/a100.yaml"));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t comment = line.find(" #");
    line = line.substr(0, comment == std::string::npos ? line.size() : comment);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string edited(std::string text, const std::vector<Edit>& edits) {
  for (const Edit& edit : edits) {
    const std::size_t at = text.find(edit.from);
    if (at == std::string::npos || text.find(edit.from, at + 1) != std::string::npos)
      throw std::runtime_error("not exactly once in the text: " + edit.from);
    text.replace(at, edit.from.size(), edit.to);
  }
  return text;
}

std::vector<std::string> mistakes_of(const std::string& text,
                                     const std::vector<std::string>& overrides) {
  try {
    read_machine_text("m.yaml", text, overrides, [](std::string_view, const std::string&) {
      return ShippedValue{"a100", "7"};
    });
  } catch (const ConfigError& error) {
    return error.messages();
  }
  return {};
}

int line_of(const std::string& text, const std::string& piece) {
  const std::size_t at = text.find(piece);
  if (at == std::string::npos) throw std::runtime_error("not in the text: " + piece);
  return 1 + static_cast<int>(
                 std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

std::string with_lines(const std::string& message, const std::string& text) {
  std::string result = message;
  for (std::size_t open; (open = result.find('{')) != std::string::npos;) {
    const std::size_t close = result.find('}', open);
    const std::string piece = result.substr(open + 1, close - open - 1);
    result.replace(open, close - open + 1, std::to_string(line_of(text, piece)));
  }
  return result;
}

}  // namespace tcsim::config
