#include "sim/validate/notes.hpp"

#include <algorithm>

namespace tcsim::validate {

std::vector<std::string_view> split_notes(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(';'), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

Fields notes_of(std::string_view text) {
  Fields notes;
  for (const std::string_view word : split_notes(text)) {
    const std::size_t equals = std::min(word.find('='), word.size());
    notes.emplace(word.substr(0, equals), word.substr(std::min(equals + 1, word.size())));
  }
  return notes;
}

std::string value(const Fields& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string() : found->second;
}

std::string result_of_bytes(const kernels::KernelName& name) {
  return name.operands == "int8" ? name.results : "";
}

}  // namespace tcsim::validate
