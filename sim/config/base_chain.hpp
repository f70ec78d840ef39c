#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/mistakes.hpp"
#include "sim/config/named_files.hpp"
#include "sim/config/yaml_tree.hpp"
#include "sim/files/file_kind.hpp"

namespace tcsim::config {

/// A file on which another one builds.
struct BaseFile {
  std::string file;    ///< its path
  std::string text;    ///< what it says
  std::string reason;  ///< why it cannot be read; empty if it can
};

/// The file to which `word`, the value of key `base` of `file`, refers.
using BaseLookup = std::function<BaseFile(const std::string& word, const std::string& file)>;

/// The lookup among `known`, files of `kind`: a word names one of them, a path is relative to the
/// file that names it.
BaseLookup base_lookup(NamedFiles known, files::FileKind kind);

/// Files that build on each other through their keys `base`, the last one first. Places of nodes
/// name their file by Place::base.
class BaseChain {
 public:
  /// Parses the text of `file` and of all its bases, which `lookup` finds. An invalid key `base` is
  /// recorded in `mistakes`, which also receives the names of the files; there, `kind` ("machine")
  /// states what the files are. Throws as parse_yaml.
  BaseChain(const std::string& file, const std::string& text, std::string_view kind,
            const BaseLookup& lookup, Mistakes& mistakes);

  /// Without their keys `base`.
  [[nodiscard]] const std::vector<TreeFile>& files() const { return files_; }
  [[nodiscard]] const std::string& name_of(int base) const {
    return names_.at(static_cast<std::size_t>(base));
  }
  [[nodiscard]] bool has_base() const { return files_.size() > 1; }
  /// True if a file names a base that cannot be read. Then no missing key may be reported.
  [[nodiscard]] bool lacks_base() const { return lacks_base_; }

 private:
  /// The base of the last file; nothing if it has none, or none that can be read.
  std::optional<BaseFile> next_base(std::string_view kind, const BaseLookup& lookup,
                                    Mistakes& mistakes);

  std::vector<std::string> names_;
  std::vector<TreeFile> files_;
  bool lacks_base_ = false;
};

}  // namespace tcsim::config
