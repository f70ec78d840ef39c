#include "sim/config/base_chain.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "sim/errors/errors.hpp"
#include "sim/files/read_file.hpp"

namespace tcsim::config {
namespace {

constexpr std::size_t kMostFiles = 8;

/// Names the file of every node: `base` as in Place.
void mark(TreeNode& node, int base) {
  node.place.base = base;
  for (TreeNode& item : node.items) mark(item, base);
  for (auto& [name, value] : node.entries) {
    mark(name, base);
    mark(value, base);
  }
}

/// Takes the entry `name` of a mapping out; nothing if it has none.
std::optional<TreeEntry> taken_entry(TreeNode& mapping, std::string_view name) {
  const auto found = std::ranges::find_if(
      mapping.entries, [name](const TreeEntry& entry) { return entry.name.text == name; });
  if (found == mapping.entries.end()) return {};
  TreeEntry entry = std::move(*found);
  mapping.entries.erase(found);
  return entry;
}

/// What cannot be trusted in a base is reported at once.
TreeFile parse_base(const BaseFile& source) {
  Mistakes own(source.file);
  TreeFile file = parse_yaml(source.file, source.text, own);
  own.finish();
  return file;
}

}  // namespace

BaseLookup base_lookup(NamedFiles known, files::FileKind kind) {
  return [known = std::move(known), kind](const std::string& word,
                                          const std::string& file) -> BaseFile {
    namespace fs = std::filesystem;
    if (std::string reason = known.why_none(word); !reason.empty()) return {"", "", reason};
    fs::path found = known.file_of(word);
    if (found == fs::path(word)) found = (fs::path(file).parent_path() / found).lexically_normal();
    try {
      return {found.string(), files::read_file(found, kind), ""};
    } catch (const IoError& error) {
      return {"", "", error.what()};
    }
  };
}

BaseChain::BaseChain(const std::string& file, const std::string& text, std::string_view kind,
                     const BaseLookup& lookup, Mistakes& mistakes)
    : names_{file}, files_{parse_yaml(file, text, mistakes)} {
  while (const auto base = next_base(kind, lookup, mistakes)) {
    mistakes.add_base(base->file);
    names_.push_back(base->file);
    files_.push_back(parse_base(*base));
    mark(files_.back().root, static_cast<int>(files_.size()) - 1);
  }
}

std::optional<BaseFile> BaseChain::next_base(std::string_view kind, const BaseLookup& lookup,
                                             Mistakes& mistakes) {
  const auto entry = taken_entry(files_.back().root, "base");
  if (!entry) return {};
  if (const auto again = taken_entry(files_.back().root, "base"))
    mistakes.add(again->name.place, "base",
                 fmt::format("given twice, first at line {}", entry->name.place.line));
  const TreeNode& word = entry->value;
  const auto refuse = [&](const std::string& reason) {
    lacks_base_ = true;
    mistakes.add(word.kind == TreeNode::Kind::kNothing ? entry->name.place : word.place, "base",
                 reason);
    return std::nullopt;
  };
  if (word.kind != TreeNode::Kind::kText || word.text.empty())
    return refuse(fmt::format("expected the name or file of a {}, got {}", kind, describe(word)));
  if (!lookup) return refuse("a file with a base cannot be read here");
  BaseFile found = lookup(word.text, names_.back());
  if (!found.reason.empty()) return refuse(fmt::format("{}: {}", word.text, found.reason));
  if (std::ranges::find(names_, found.file) != names_.end())
    return refuse(fmt::format("{}: leads back to {}", word.text, found.file));
  if (files_.size() == kMostFiles)
    return refuse(fmt::format("more than {} files build on each other", kMostFiles));
  return found;
}

}  // namespace tcsim::config
