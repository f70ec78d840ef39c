#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "workloads/kernels/gemm.hpp"

namespace tcsim::kernels {

/// The tiles that a library has for one product, and the rule that chooses among them.
struct TileMenu {
  std::vector<GemmTile> tiles;
  /// Why a tile cannot be generated, in one sentence; empty if it can. Also for tiles off the menu.
  std::function<std::string(const GemmTile&)> why_not;
  std::function<bool(const GemmTile&, const GemmTile&)> is_preferred;
  bool has_any_roles = false;            ///< a text without roles may mean tiles with roles
  std::vector<std::string> libraries{};  ///< whose tiles these are, for messages
};

/// The tile that `text` names in full, whether on the menu or not; or the menu's preferred tile
/// with the parts that `text` names; or nothing and a reason. Texts: parse_tile (gemm.hpp).
std::optional<GemmTile> find_tile(const std::string& text, const TileMenu& menu,
                                  std::string& reason);

}  // namespace tcsim::kernels
