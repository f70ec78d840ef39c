#pragma once

#include <string>
#include <vector>

#include "sim/config/load.hpp"
#include "workloads/kernels/library.hpp"

namespace tcsim::library {

/// A tile that a machine cannot build.
struct TileProblem {
  std::string kernels;  ///< "kernels.products.menu", "attention.forward.tiles": where it is named
  int line = 0;         ///< its line in the file of its library, from 1
  int column = 0;       ///< its column, from 1
  int base = 0;         ///< of a file on which the library builds, as in kernels::MenuTile
  std::string tile;     ///< as the library writes it
  std::string reason;
};

/// Tiles of `library` that `machine` cannot build with any number of stages for any of their
/// operands, although it has the instructions of their kernels.
std::vector<TileProblem> tiles_beyond(const kernels::Library& library,
                                      const config::Machine& machine);

/// Why `machine` has no kernel of `family`, whatever the tile; empty if it has some.
std::string why_none(const kernels::KernelFamily& family, const config::Machine& machine);
std::string why_none(const kernels::AttentionFamily& family, const config::Machine& machine);

/// Throws ConfigError if `machine` lacks the instructions of every kernel of `library`.
void require_kernels(const kernels::Library& library, const config::MachineFile& machine);

/// The same, and with `file:line:column: kernels.NAME.menu: reason` for every tile that `machine`
/// cannot build.
void require_tiles(const kernels::Library& library, const config::MachineFile& machine);

}  // namespace tcsim::library
