#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/machine.hpp"
#include "sim/config/mistakes.hpp"
#include "sim/config/schema.hpp"
#include "sim/config/yaml_tree.hpp"

namespace tcsim::config {

/// The numbers that a key may have.
struct Bounds {
  std::string_view unit;
  double min;
  double max;
};

/// A node of the word or number `text` at `place`, without quotes.
TreeNode text_node(const std::string& text, const Place& place);

/// Converts values as written into fields of a Machine.
class ValueReader {
 public:
  /// Receives each mistake: its place, the path of the key and the reason.
  using Refuse =
      std::function<void(const Place& place, std::string_view path, const std::string& reason)>;

  explicit ValueReader(Refuse refuse);

  /// Puts `node` into the field of `key`; false if the value was refused. Reads no mapping of
  /// instructions: for that, it returns false.
  bool read(const TreeNode& node, const Key& key, Machine& machine) const;

  /// Puts an integer or the word `derived` into `value`, empty for the word; false if it was
  /// refused.
  bool read_derivable(const TreeNode& node, const std::string& path, const Bounds& bounds,
                      std::optional<int>& value) const;

 private:
  // One conversion per kind of key; each returns whether the value is good and reports it if not.
  bool convert(const TreeNode& node, const Key& key, int& value) const;
  bool convert(const TreeNode& node, const Key& key, long long& value) const;
  bool convert(const TreeNode& node, const Key& key, double& value) const;
  bool convert(const TreeNode& node, const Key& key, std::string& value) const;
  template <typename T>
  bool convert(const TreeNode& node, const Key& key, std::vector<T>& values) const;
  bool convert(const TreeNode& node, const Key& key, std::vector<std::string>& values) const;
  bool convert(const TreeNode& node, const Key& key,
               std::vector<sm::TensorInstructionParams>& rows) const;
  bool convert(const TreeNode& node, const Key& key, std::optional<int>& value) const;
  bool convert(const TreeNode& node, const Key& key, sm::CoreShape& shape) const;

  template <typename T>
  bool convert_integer(const TreeNode& node, const std::string& path, const Bounds& bounds,
                       T& value) const;
  [[nodiscard]] bool is_plain(const TreeNode& node, const std::string& path,
                              std::string_view wanted) const;
  [[nodiscard]] bool in_range(const TreeNode& node, const std::string& path, double value,
                              const Bounds& bounds) const;
  /// Always false.
  bool refuse(const TreeNode& node, const std::string& path, const std::string& reason) const;

  Refuse refuse_;
};

/// Why no machine can have `value` at `key`; "" if one may, with other values that fit it.
std::string value_mistake(const Key& key, const std::string& value);

}  // namespace tcsim::config
