#include "sim/sweep/spec_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/config/nearest.hpp"
#include "sim/config/number.hpp"

namespace tcsim::sweep {

using config::describe;
using config::TreeEntry;
using config::TreeNode;
using Kind = config::TreeNode::Kind;

SpecMap::SpecMap(const TreeNode& node, std::string path, config::Mistakes& mistakes)
    : node_(node), path_(std::move(path)), place_(node.place), mistakes_(mistakes) {
  if (place_.line == 0) place_ = {1, 1, 0};
  if (node.kind != Kind::kMapping)
    mistakes_.add(place_, path_, "expected a mapping; got " + describe(node));
  std::set<std::string> seen;
  for (const TreeEntry& entry : node.entries) {
    if (entry.name.kind != Kind::kText)
      mistakes_.add(entry.name.place, path_, "a key must be a word; got " + describe(entry.name));
    else if (!seen.insert(entry.name.text).second)
      mistakes_.add(entry.name.place, path_of(entry.name.text), "given twice");
  }
}

std::string SpecMap::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void SpecMap::mistake(const config::Place& place, std::string_view key, const std::string& reason) {
  mistakes_.add(place, path_of(key), reason);
}

const TreeNode* SpecMap::find(std::string_view key) {
  asked_.emplace_back(key);
  const auto entry =
      std::find_if(node_.entries.begin(), node_.entries.end(), [&](const TreeEntry& candidate) {
        return candidate.name.kind == Kind::kText && candidate.name.text == key;
      });
  return entry == node_.entries.end() ? nullptr : &entry->value;
}

std::string SpecMap::text(std::string_view key, bool required) {
  const TreeNode* value = find(key);
  if (value == nullptr) {
    if (required) mistake(place_, key, "missing");
    return {};
  }
  if (value->kind == Kind::kText && !value->text.empty()) return value->text;
  mistake(value->place, key, "expected a word; got " + describe(*value));
  return {};
}

std::optional<double> SpecMap::number(std::string_view key, double least, double most) {
  const TreeNode* value = find(key);
  if (value == nullptr) return {};
  const auto reading = config::read_number(value->text, "");
  if (value->kind != Kind::kText || !reading.value) {
    mistake(value->place, key, "expected a number; got " + describe(*value));
  } else if (*reading.value < least) {
    mistake(value->place, key, fmt::format("{} is less than {}", value->text, least));
  } else if (*reading.value > most) {
    mistake(value->place, key, fmt::format("{} is more than {}", value->text, most));
  } else {
    return reading.value;
  }
  return {};
}

std::int64_t SpecMap::whole_number(std::string_view key, std::int64_t absent, std::int64_t least) {
  const TreeNode* value = find(key);
  if (value == nullptr) return absent;
  const auto reading = config::read_integer(value->text, "");
  if (value->kind == Kind::kText && reading.value && *reading.value >= least) return *reading.value;
  mistake(value->place, key,
          fmt::format("expected a whole number of at least {}; got {}", least, describe(*value)));
  return absent;
}

std::vector<TreeNode> SpecMap::list(std::string_view key) {
  const TreeNode* value = find(key);
  if (value == nullptr) return {};
  if (value->kind == Kind::kList && !value->items.empty()) return value->items;
  mistake(value->place, key, "expected a list of at least one item; got " + describe(*value));
  return {};
}

std::vector<NamedText> SpecMap::names(std::string_view key) {
  const TreeNode* value = find(key);
  return value == nullptr ? std::vector<NamedText>{} : named_texts(*value, path_of(key), mistakes_);
}

void SpecMap::finish() {
  const std::vector<std::string_view> known(asked_.begin(), asked_.end());
  for (const TreeEntry& entry : node_.entries) {
    const bool is_known = entry.name.kind != Kind::kText ||
                          std::find(known.begin(), known.end(), entry.name.text) != known.end();
    if (!is_known)
      mistake(entry.name.place, entry.name.text,
              "unknown key" + config::did_you_mean(entry.name.text, known));
  }
}

std::vector<NamedText> named_texts(const TreeNode& node, const std::string& path,
                                   config::Mistakes& mistakes) {
  std::vector<NamedText> result;
  if (node.kind != Kind::kMapping || node.entries.empty()) {
    mistakes.add(node.place, path, "expected a mapping of names to values; got " + describe(node));
    return result;
  }
  std::set<std::string> seen;
  for (const TreeEntry& entry : node.entries) {
    const std::string name = path + "." + entry.name.text;
    if (!seen.insert(entry.name.text).second)
      mistakes.add(entry.name.place, name, "given twice");
    else if (entry.value.kind == Kind::kMapping || entry.value.kind == Kind::kNothing)
      mistakes.add(entry.value.place, name, "expected a value; got " + describe(entry.value));
    else
      result.push_back({entry.name.text,
                        entry.value.kind == Kind::kText ? entry.value.text : describe(entry.value),
                        entry.value.place});
  }
  return result;
}

}  // namespace tcsim::sweep
