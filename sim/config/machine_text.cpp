#include "sim/config/machine_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>

#include "sim/config/schema.hpp"

namespace tcsim::config {
namespace {

/// Words that YAML takes for texts without quotes.
bool is_plain(std::string_view text) {
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) != 0 &&
         std::ranges::all_of(text, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
         });
}

std::string value_text(const Setting& setting) {
  if (setting.derived) return std::string(kDerived);
  const Key* const key = find_key(setting.key);
  const bool is_shape = key != nullptr && kind_name(*key) == "shape";
  if (!setting.is_text || is_shape || is_plain(setting.value)) return setting.value;
  return nlohmann::json(setting.value)
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string comment(const Setting& setting) {
  if (setting.set > 0) return "  # --set";
  return setting.source.empty() ? "" : "  # " + setting.source;
}

/// The number of sections that the paths `a` and `b` are both in.
std::size_t shared_sections(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::size_t count = 0;
  while (count + 1 < a.size() && count + 1 < b.size() && a[count] == b[count]) ++count;
  return count;
}

/// Words of a path; a mnemonic, which holds dots, is one.
std::vector<std::string> words_of(const std::string& path) {
  const std::string prefix = std::string(kInstructionsPath) + ".";
  std::vector<std::string> words;
  const bool is_instruction = path.starts_with(prefix);
  const std::string sections = is_instruction ? std::string(kInstructionsPath) : path;
  for (std::size_t start = 0; start <= sections.size();) {
    const std::size_t dot = std::min(sections.find('.', start), sections.size());
    words.push_back(sections.substr(start, dot - start));
    start = dot + 1;
  }
  if (!is_instruction) return words;
  const std::size_t last = path.rfind('.');
  words.push_back(fmt::format("\"{}\"", path.substr(prefix.size(), last - prefix.size())));
  words.push_back(path.substr(last + 1));
  return words;
}

bool lists_instructions(const std::vector<Setting>& settings) {
  return std::ranges::any_of(settings, [](const Setting& setting) {
    return setting.key.starts_with(std::string(kInstructionsPath) + ".");
  });
}

}  // namespace

std::string machine_text(const std::vector<Setting>& settings) {
  std::string text;
  std::vector<std::string> before;
  for (const Setting& setting : settings) {
    std::vector<std::string> words = words_of(setting.key);
    for (std::size_t i = shared_sections(before, words); i + 1 < words.size(); ++i)
      text += fmt::format("{:{}}{}:\n", "", 2 * i, words[i]);
    text += fmt::format("{:{}}{}: {}{}\n", "", 2 * (words.size() - 1), words.back(),
                        value_text(setting), comment(setting));
    before = std::move(words);
    if (setting.key == "sm.tensor.instruction_timing" && !lists_instructions(settings))
      text += "    instructions: {}\n";  // which has no setting
  }
  return text;
}

}  // namespace tcsim::config
