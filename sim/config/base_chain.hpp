#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/config/machine_reader.hpp"
#include "sim/config/mistakes.hpp"
#include "sim/config/yaml_tree.hpp"

namespace tcsim::config {

/// Machine files that build on each other by their keys `base`, the last one first. Places of nodes
/// name their file by Place::base.
class BaseChain {
 public:
  /// Parses the text of `file` and of all its bases, which `lookup` finds. What a key `base` cannot
  /// mean goes to `mistakes`, which gets the names of the files too. Throws as parse_yaml.
  BaseChain(const std::string& file, const std::string& text, const BaseLookup& lookup,
            Mistakes& mistakes);

  /// Without their keys `base`.
  [[nodiscard]] const std::vector<TreeFile>& files() const { return files_; }
  [[nodiscard]] const std::string& name_of(int base) const {
    return names_.at(static_cast<std::size_t>(base));
  }
  [[nodiscard]] bool has_base() const { return files_.size() > 1; }
  /// True if a file names a base that is not there, so that no key can be missed.
  [[nodiscard]] bool lacks_base() const { return lacks_base_; }

 private:
  /// The base of the last file; nothing if it has none, or none that can be read.
  std::optional<BaseFile> next_base(const BaseLookup& lookup, Mistakes& mistakes);

  std::vector<std::string> names_;
  std::vector<TreeFile> files_;
  bool lacks_base_ = false;
};

}  // namespace tcsim::config
