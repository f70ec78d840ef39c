#include "sim/sweep/template_text.hpp"

namespace tcsim::sweep {
namespace {

/// Calls `plain(text)` and `name(text)` for the pieces of `text`.
template <typename Plain, typename Name>
void split(const std::string& text, const Plain& plain, const Name& name) {
  std::size_t position = 0;
  while (position < text.size()) {
    const std::size_t open = text.find('{', position);
    const std::size_t close = open == std::string::npos ? open : text.find('}', open);
    if (close == std::string::npos) break;
    plain(text.substr(position, open - position));
    name(text.substr(open + 1, close - open - 1));
    position = close + 1;
  }
  plain(text.substr(position));
}

}  // namespace

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  split(
      text, [](const std::string&) {}, [&](const std::string& name) { names.push_back(name); });
  return names;
}

std::string replaced(const std::string& text, const Parameters& parameters) {
  std::string result;
  split(
      text, [&](const std::string& piece) { result += piece; },
      [&](const std::string& name) { result += *find_value(parameters, name); });
  return result;
}

}  // namespace tcsim::sweep
