#include "sim/config/measured_name.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "sim/config/key_tree.hpp"
#include "sim/config/schema.hpp"
#include "sim/config/value_reader.hpp"

namespace tcsim::config {

MeasuredName parse_measured_name(std::string_view text) {
  MeasuredName result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string word(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (result.name.empty())
      result.name = word;
    else
      result.overrides.push_back(word);
  }
  return result;
}

std::string check_measured_names(const Machine& machine) {
  std::set<std::string> names;
  for (const std::string& entry : machine.descriptive.measured_as) {
    const MeasuredName measured = parse_measured_name(entry);
    if (measured.name.empty() || measured.name.find('=') != std::string::npos)
      return fmt::format("'{}' does not begin with the name of a board", entry);
    if (!names.insert(measured.name).second)
      return fmt::format("'{}' is given twice", measured.name);
    for (const std::string& change : measured.overrides) {
      const std::size_t equals = change.find('=');
      const std::string key = change.substr(0, equals);
      if (equals == std::string::npos)
        return fmt::format("'{}': '{}' is not key.path=value", entry, change);
      const Key* const known = find_key(key);
      if (known == nullptr)
        return fmt::format("'{}': unknown key '{}'{}", entry, key, suggest_path(key, {}));
      const std::string reason = value_mistake(*known, change.substr(equals + 1));
      if (!reason.empty()) return fmt::format("'{}': {}: {}", entry, key, reason);
    }
  }
  return {};
}

}  // namespace tcsim::config
