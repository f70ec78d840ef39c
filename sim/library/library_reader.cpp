#include "sim/library/library_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

// The header-only form needs no library at run time.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/config/base_chain.hpp"
#include "sim/config/mistakes.hpp"
#include "sim/config/named_files.hpp"
#include "sim/config/strict_map.hpp"
#include "sim/config/yaml_tree.hpp"
#include "sim/files/json_text.hpp"
#include "sim/library/attention_reader.hpp"
#include "sim/library/family_reader.hpp"

namespace tcsim::library {
namespace {

using config::StrictMap;
using config::TreeEntry;
using config::TreeNode;

/// What stands at `key` of a mapping; nothing if it has no such key.
TreeNode* value_of(TreeNode& mapping, std::string_view key) {
  for (TreeEntry& entry : mapping.entries)
    if (entry.name.text == key) return &entry.value;
  return nullptr;
}

/// `own` on top of `base`: costs and menus key by key, all else as a whole. New keys stand in the
/// order of `own`.
TreeNode merged(TreeNode base, const TreeNode& own) {
  if (own.kind != TreeNode::Kind::kMapping) return own;
  if (base.kind != TreeNode::Kind::kMapping) return base;
  std::vector<TreeEntry>& entries = base.entries;
  std::ptrdiff_t next = 0;
  for (TreeEntry entry : own.entries) {
    const auto given = std::ranges::find_if(entries, [&](const TreeEntry& one) {
      return one.name.text == entry.name.text && one.name.place.base > entry.name.place.base;
    });
    if (given != entries.end()) {
      if (entry.name.text == "costs" || entry.name.text == "menus")
        entry.value = merged(std::move(given->value), entry.value);
      const std::ptrdiff_t place = given - entries.begin();
      next = place < next ? next - 1 : place;
      entries.erase(given);
    }
    entries.insert(entries.begin() + next++, std::move(entry));
  }
  base.place = own.place;
  return base;
}

/// The menus that `kernels` name.
std::set<std::string> used_menus(TreeNode& kernels) {
  std::set<std::string> used;
  for (TreeEntry& family : kernels.entries)
    if (const TreeNode* menu = value_of(family.value, "menu")) used.insert(menu->text);
  return used;
}

/// Takes away menus of bases that no kernels name.
void drop_unused_menus(TreeNode& root) {
  TreeNode* const menus = value_of(root, "menus");
  TreeNode* const kernels = value_of(root, "kernels");
  if (menus == nullptr || kernels == nullptr) return;
  const std::set<std::string> used = used_menus(*kernels);
  std::erase_if(menus->entries, [&](const TreeEntry& menu) {
    return menu.name.place.base > 0 && !used.contains(menu.name.text);
  });
}

/// Menus of the file itself that no kernels name are mistakes.
void refuse_unused_menus(TreeNode& root, config::Mistakes& mistakes) {
  const TreeNode* const menus = value_of(root, "menus");
  TreeNode* const kernels = value_of(root, "kernels");
  if (menus == nullptr || kernels == nullptr) return;
  const std::set<std::string> used = used_menus(*kernels);
  for (const TreeEntry& menu : menus->entries)
    if (menu.name.place.base == 0 && !used.contains(menu.name.text))
      mistakes.add(menu.name.place, "menus." + menu.name.text,
                   fmt::format("no kernels use it (menus: {})", fmt::join(used, ", ")));
}

/// What `node` says, in one form however it was written; comments and places are left out.
void append_canonical(const TreeNode& node, std::string& text) {
  text += fmt::format("{}:{}", static_cast<int>(node.kind), node.text);
  text += '\0';
  for (const TreeNode& item : node.items) append_canonical(item, text);
  for (const config::TreeEntry& entry : node.entries) {
    append_canonical(entry.name, text);
    append_canonical(entry.value, text);
  }
  text += '\1';
}

std::string identity_of(TreeNode root) {
  drop_unused_menus(root);
  std::string text;
  append_canonical(root, text);
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

/// The file of `chain` on top of its bases.
TreeNode whole_tree(const config::BaseChain& chain) {
  TreeNode root = chain.files().back().root;
  for (std::size_t next = chain.files().size() - 1; next-- > 0;)
    root = merged(std::move(root), chain.files()[next].root);
  return root;
}

/// `node` with its numbers as texts, which a library reads alike.
nlohmann::ordered_json json_of(const TreeNode& node) {
  using Json = nlohmann::ordered_json;
  Json json;
  switch (node.kind) {
    case TreeNode::Kind::kNothing:
      break;
    case TreeNode::Kind::kText:
      json = node.text;
      break;
    case TreeNode::Kind::kList:
      json = Json::array();
      for (const TreeNode& item : node.items) json.push_back(json_of(item));
      break;
    case TreeNode::Kind::kMapping:
      json = Json::object();
      for (const TreeEntry& entry : node.entries) json[entry.name.text] = json_of(entry.value);
      break;
  }
  return json;
}

kernels::TileCosts read_costs(StrictMap map) {
  kernels::TileCosts costs;
  for (const CostKey& key : cost_keys())
    costs.*key.field = map.number(key.name, key.least, key.most);
  map.finish();
  return costs;
}

Menus read_menus(const TreeNode& node, config::Mistakes& mistakes) {
  Menus menus;
  StrictMap map(node, "menus", mistakes);
  for (const config::TreeEntry& entry : node.entries) {
    std::vector<kernels::MenuTile>& menu = menus[entry.name.text];
    for (const TreeNode& item : map.list(entry.name.text))
      menu.push_back(read_menu_tile({item, map.path_of(entry.name.text), mistakes}));
  }
  return menus;
}

/// Kernels of products and convolutions, with what their estimated times are made of.
void read_kernels(StrictMap& map, kernels::Library& library) {
  kernels::TileCosts costs;
  if (const auto section = map.section("costs")) costs = read_costs(*section);
  Menus menus;
  if (const TreeNode* node = map.find("menus", /*required=*/true))
    menus = read_menus(*node, map.mistakes());
  const TreeNode* node = map.find("kernels", /*required=*/true);
  if (node == nullptr) return;
  StrictMap families(*node, "kernels", map.mistakes());
  for (const config::TreeEntry& entry : node->entries) {
    StrictMap family(entry.value, families.path_of(entry.name.text), map.mistakes());
    library.families.push_back(read_family(family, menus));
    library.families.back().library = library.name;
    library.families.back().name = entry.name.text;
    library.families.back().costs = costs;
  }
}

void read_attention(const TreeNode& node, config::Mistakes& mistakes, kernels::Library& library) {
  StrictMap families(node, "attention", mistakes);
  for (const config::TreeEntry& entry : node.entries) {
    StrictMap family(entry.value, families.path_of(entry.name.text), mistakes);
    library.attention.push_back(read_attention_family(family));
    library.attention.back().library = library.name;
    library.attention.back().name = entry.name.text;
  }
}

}  // namespace

const std::vector<CostKey>& cost_keys() {
  using kernels::TileCosts;
  constexpr double kMost = 1e6;
  constexpr double kLeastShare = 0.01;
  static const std::vector<CostKey> keys{
      {"fill_cycles", &TileCosts::fill_cycles, 0, kMost},
      {"turn_round_cycles", &TileCosts::turn_round_cycles, 0, kMost},
      {"epilogue_cycles", &TileCosts::epilogue_cycles, 0, kMost},
      {"sliced_epilogue_cycles", &TileCosts::sliced_epilogue_cycles, 0, kMost},
      {"epilogue_write_share", &TileCosts::epilogue_write_share, kLeastShare, 1},
      {"load_latency_cycles", &TileCosts::load_latency_cycles, 0, kMost},
      {"hand_over_cycles", &TileCosts::hand_over_cycles, 0, kMost},
      {"sliced_hand_over_cycles", &TileCosts::sliced_hand_over_cycles, 0, kMost},
      {"staged_hand_over_cycles", &TileCosts::staged_hand_over_cycles, 0, kMost},
      {"staged_issue_share", &TileCosts::staged_issue_share, 0, 1},
      {"staged_queue_share", &TileCosts::staged_queue_share, 0, 1},
      {"dram_efficiency", &TileCosts::dram_efficiency, kLeastShare, 1},
      {"half_line_efficiency", &TileCosts::half_line_efficiency, kLeastShare, 1},
      {"single_move_cycles", &TileCosts::single_move_cycles, 0, kMost},
      {"reduction_cycles", &TileCosts::reduction_cycles, 0, kMost},
      {"reduction_cycles_per_slice", &TileCosts::reduction_cycles_per_slice, 0, kMost},
      {"reduction_l2_share", &TileCosts::reduction_l2_share, kLeastShare, 1},
  };
  return keys;
}

std::shared_ptr<const kernels::Library> read_library_text(const std::string& file,
                                                          const std::string& text,
                                                          const config::BaseLookup& bases) {
  config::Mistakes mistakes(file);
  const config::BaseChain chain(file, text, "library", bases, mistakes);
  if (chain.lacks_base()) mistakes.finish();
  auto library = std::make_shared<kernels::Library>();
  const int last = static_cast<int>(chain.files().size()) - 1;
  for (int base = 1; base <= last; ++base) library->bases.push_back(chain.name_of(base));
  TreeNode root = whole_tree(chain);
  StrictMap map(root, "", mistakes);
  library->file = file;
  library->identity = identity_of(root);
  library->name = map.text("name");
  const TreeNode* name = map.find("name");
  if (name != nullptr && name->place.base > 0)
    mistakes.add(map.place(), "name", "missing; a library with a base needs its own name");
  if (const std::string problem = config::name_problem(library->name);
      !library->name.empty() && !problem.empty())
    mistakes.add(name->place, "name", problem);
  library->description = map.text("description");
  const TreeNode* attention = map.find("attention");
  if (attention != nullptr) read_attention(*attention, mistakes, *library);
  if (attention == nullptr || map.find("kernels") != nullptr) read_kernels(map, *library);
  map.finish();
  if (mistakes.empty()) refuse_unused_menus(root, mistakes);
  mistakes.finish();
  return library;
}

std::string complete_library_text(const std::string& file, const std::string& text,
                                  const config::BaseLookup& bases) {
  (void)read_library_text(file, text, bases);
  config::Mistakes none(file);
  TreeNode root = whole_tree({file, text, "library", bases, none});
  drop_unused_menus(root);
  return files::json_text(json_of(root), 1) + "\n";
}

}  // namespace tcsim::library
