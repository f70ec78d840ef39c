#include "sim/config/value_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "sim/config/number.hpp"
#include "sim/files/nearest.hpp"
#include "sim/files/shown_text.hpp"

namespace tcsim::config {
namespace {

/// "8x4x8" at its crosses.
std::vector<std::string> split_shape(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == 'x')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

}  // namespace

TreeNode text_node(const std::string& text, const Place& place) {
  TreeNode node;
  node.kind = TreeNode::Kind::kText;
  node.text = text;
  node.place = place;
  return node;
}

ValueReader::ValueReader(Refuse refuse) : refuse_(std::move(refuse)) {}

bool ValueReader::is_plain(const TreeNode& node, const std::string& path,
                           std::string_view wanted) const {
  if (node.kind != TreeNode::Kind::kText)
    return refuse(node, path, fmt::format("expected {}, got {}", wanted, describe(node)));
  if (node.quoted)
    return refuse(
        node, path,
        fmt::format("expected {}, got the text \"{}\"; leave out the quotes", wanted, node.text));
  return true;
}

bool ValueReader::in_range(const TreeNode& node, const std::string& path, double value,
                           const Bounds& bounds) const {
  const std::string reason = check_range(node.text, value, bounds.min, bounds.max);
  return reason.empty() || refuse(node, path, reason);
}

bool ValueReader::refuse(const TreeNode& node, const std::string& path,
                         const std::string& reason) const {
  refuse_(node.place, path, reason);
  return false;
}

template <typename T>
bool ValueReader::convert_integer(const TreeNode& node, const std::string& path,
                                  const Bounds& bounds, T& value) const {
  if (!is_plain(node, path, "an integer")) return false;
  const auto reading = read_integer(node.text, bounds.unit);
  if (!reading.value) return refuse(node, path, reading.reason);
  if (!in_range(node, path, static_cast<double>(*reading.value), bounds)) return false;
  value = static_cast<T>(*reading.value);
  return true;
}

bool ValueReader::convert(const TreeNode& node, const Key& key, int& value) const {
  return convert_integer(node, std::string(key.path), {key.unit, key.min, key.max}, value);
}

bool ValueReader::convert(const TreeNode& node, const Key& key, long long& value) const {
  return convert_integer(node, std::string(key.path), {key.unit, key.min, key.max}, value);
}

bool ValueReader::convert(const TreeNode& node, const Key& key, double& value) const {
  const std::string path(key.path);
  if (!is_plain(node, path, "a number")) return false;
  const auto reading = read_number(node.text, key.unit);
  if (!reading.value) return refuse(node, path, reading.reason);
  value = *reading.value;
  return in_range(node, path, value, {key.unit, key.min, key.max});
}

bool ValueReader::convert(const TreeNode& node, const Key& key, std::string& value) const {
  const std::string path(key.path);
  if (node.kind != TreeNode::Kind::kText)
    return refuse(node, path, fmt::format("expected text, got {}", describe(node)));
  value = node.text;
  const std::vector<std::string_view> words = allowed_words(key);
  if (words.empty() || std::find(words.begin(), words.end(), value) != words.end()) return true;
  return refuse(node, path,
                fmt::format("'{}' is not one of {}{}", value, fmt::join(words, ", "),
                            files::did_you_mean(value, words)));
}

template <typename T>
bool ValueReader::convert(const TreeNode& node, const Key& key, std::vector<T>& values) const {
  const std::string path(key.path);
  if (node.kind != TreeNode::Kind::kList)
    return refuse(node, path, fmt::format("expected a list of integers, got {}", describe(node)));
  if (node.items.empty() || node.items.size() > kMaxListItems)
    return refuse(
        node, path,
        fmt::format("expected 1 to {} integers, got {}", kMaxListItems, node.items.size()));
  bool good = true;
  for (const TreeNode& item : node.items) {
    T value{};
    good = convert_integer(item, path, {key.unit, key.min, key.max}, value) && good;
    values.push_back(value);
  }
  return good;
}

bool ValueReader::convert(const TreeNode& node, const Key& key,
                          std::vector<std::string>& values) const {
  const std::string path(key.path);
  if (node.kind != TreeNode::Kind::kList)
    return refuse(node, path, fmt::format("expected a list of texts, got {}", describe(node)));
  if (node.items.size() > kMaxListItems)
    return refuse(
        node, path,
        fmt::format("expected at most {} texts, got {}", kMaxListItems, node.items.size()));
  bool good = true;
  for (const TreeNode& item : node.items) {
    const bool is_text = item.kind == TreeNode::Kind::kText && !item.text.empty();
    if (!is_text) refuse(item, path, fmt::format("expected text, got {}", describe(item)));
    good = good && is_text;
    values.push_back(item.text);
  }
  return good;
}

bool ValueReader::convert(const TreeNode& /*node*/, const Key& /*key*/,
                          std::vector<sm::TensorInstructionParams>& /*rows*/) const {
  return false;  // whoever reads the machine reads this one
}

bool ValueReader::convert(const TreeNode& node, const Key& key, std::optional<int>& value) const {
  return read_derivable(node, std::string(key.path), {key.unit, key.min, key.max}, value);
}

bool ValueReader::convert(const TreeNode& node, const Key& key, sm::CoreShape& shape) const {
  const std::string path(key.path);
  if (node.kind != TreeNode::Kind::kText)
    return refuse(node, path,
                  fmt::format("expected a shape such as 8x4x8, got {}", describe(node)));
  const std::vector<std::string> parts = split_shape(node.text);
  const auto is_number = [](const std::string& part) {
    return read_integer(part, "").value.has_value();
  };
  if (parts.size() != 3 || !std::ranges::all_of(parts, is_number))
    return refuse(
        node, path,
        fmt::format("{} is not a shape; expected m, n and k as in 8x4x8", files::shown(node.text)));
  bool good = true;
  const std::array slots{&shape.m, &shape.n, &shape.k};
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const TreeNode part = text_node(parts[i], node.place);
    good = convert_integer(part, path, {key.unit, key.min, key.max}, *slots[i]) && good;
  }
  return good;
}

bool ValueReader::read_derivable(const TreeNode& node, const std::string& path,
                                 const Bounds& bounds, std::optional<int>& value) const {
  value.reset();
  if (node.kind == TreeNode::Kind::kText && !node.quoted && node.text == kDerived) return true;
  int number = 0;
  if (!convert_integer(node, path, bounds, number)) return false;
  value = number;
  return true;
}

bool ValueReader::read(const TreeNode& node, const Key& key, Machine& machine) const {
  return std::visit([&](auto slot) { return convert(node, key, slot(machine)); }, key.slot);
}

std::string value_mistake(const Key& key, const std::string& value) {
  std::string first;
  const auto keep = [&first](const std::string& reason) {
    if (first.empty()) first = reason;
  };
  if (const auto node = parse_yaml_value(value, {}, keep)) {
    Machine machine{};
    ValueReader([&](const Place&, std::string_view, const std::string& reason) {
      keep(reason);
    }).read(*node, key, machine);
  }
  return first;
}

}  // namespace tcsim::config
