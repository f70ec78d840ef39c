#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/config/strict_map.hpp"
#include "workloads/kernels/library.hpp"

namespace tcsim::library {

/// The menus of a library file by name.
using Menus = std::map<std::string, std::vector<kernels::MenuTile>, std::less<>>;

/// One row of a menu.
kernels::MenuTile read_menu_tile(config::StrictMap map);

/// One entry of `kernels`, without costs and names. Tiles of its menu that can be built on no
/// machine are mistakes.
kernels::KernelFamily read_family(config::StrictMap& map, const Menus& menus);

}  // namespace tcsim::library
