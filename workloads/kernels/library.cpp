#include "workloads/kernels/library.hpp"

#include <algorithm>

#include "workloads/kernels/swapped_product.hpp"

namespace tcsim::kernels {
namespace {

template <typename Word>
bool is_among(const std::vector<Word>& words, Word word) {
  return std::ranges::find(words, word) != words.end();
}

bool takes_groups(const KernelFamily& family, const FamilyWish& wish) {
  return wish.is_grouped ? family.groups != GroupUse::kNone : family.groups != GroupUse::kOnly;
}

bool has_kernels_for(const KernelFamily& family, const FamilyWish& wish) {
  return family.math == wish.math && is_among(family.uses, wish.use) &&
         is_among(family.movers, wish.mover) && is_among(family.operands, wish.operands) &&
         is_among(family.results, wish.results) && wish.sm_shared_bytes >= family.sm_shared_from &&
         family.has_block_scales == wish.block_scales && takes_groups(family, wish) &&
         (wish.weight_bits == 0 || is_among(family.weight_bits, wish.weight_bits)) &&
         (family.batches == BatchUse::kAny ||
          (family.batches == BatchUse::kSeveral) == (wish.batch > 1));
}

}  // namespace

bool KernelFamily::may_cut(Element operands_of) const {
  return is_among(slices.operands, operands_of);
}

void KernelFamily::add_forms(GemmTile tile, std::vector<GemmTile>& menu) const {
  tile.half_boxes = has_half_boxes;
  tile.waits_each_k_tile = waits_each_k_tile;
  for (const bool is_swapped : {false, true}) {
    if (is_swapped && !has_both_orders) break;
    GemmTile form = is_swapped ? swapped(tile) : tile;
    form.swapped = is_swapped;
    if (clusters.empty()) menu.push_back(form);
    for (const auto& [along_m, along_n] : clusters) {
      form.cluster_m = along_m;
      form.cluster_n = along_n;
      menu.push_back(form);
    }
  }
}

GemmTile KernelFamily::in_elements(GemmTile tile, Element input) const {
  if (k_unit_bytes > 0) tile.k = tile.k * k_unit_bytes / element_bytes(input);
  return tile;
}

std::vector<GemmTile> KernelFamily::menu(Element input) const {
  std::vector<GemmTile> menu;
  for (const MenuTile& row : tiles) {
    GemmTile tile = in_elements(row.tile, input);
    for (tile.stages = row.most_stages; tile.stages >= row.least_stages; --tile.stages)
      add_forms(tile, menu);
  }
  return menu;
}

std::vector<std::shared_ptr<const KernelFamily>> families_for(const Libraries& libraries,
                                                              const FamilyWish& wish) {
  std::vector<std::shared_ptr<const KernelFamily>> found;
  for (const std::shared_ptr<const Library>& library : libraries)
    for (const KernelFamily& family : library->families)
      if (has_kernels_for(family, wish)) found.emplace_back(library, &family);
  return found;
}

std::string why_no_family(const Target& target) {
  if (target.libraries.empty()) return "the machine has no library";
  std::string names;
  for (const std::shared_ptr<const Library>& library : target.libraries)
    names += (names.empty() ? "" : ", ") + library->name;
  return "none of the libraries " + names + " has such a kernel";
}

}  // namespace tcsim::kernels
