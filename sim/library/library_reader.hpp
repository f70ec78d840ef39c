#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/base_chain.hpp"
#include "workloads/kernels/library.hpp"

namespace tcsim::library {

/// One number of the section `costs` of a library file.
struct CostKey {
  std::string_view name;
  double kernels::TileCosts::*field;
  double least;
  double most;
};
/// In the order of kernels::TileCosts.
const std::vector<CostKey>& cost_keys();

// Words of a library file, in the order of their enumerators.
const std::vector<std::string_view>& element_words();
const std::vector<std::string_view>& math_words();
const std::vector<std::string_view>& mover_words();
const std::vector<std::string_view>& use_words();

/// Reads a library from the text of `file`; a file with the key `base` takes what it does not state
/// from another library, which `bases` finds (docs/libraries.md). Throws ConfigError with every
/// mistake of the files, `file:line:column: key: reason`: also tiles that can be built on no
/// machine.
std::shared_ptr<const kernels::Library> read_library_text(const std::string& file,
                                                          const std::string& text,
                                                          const config::BaseLookup& bases = {});

/// The same library as the text of a file without a base (JSON, which is YAML). Throws as
/// read_library_text.
std::string complete_library_text(const std::string& file, const std::string& text,
                                  const config::BaseLookup& bases = {});

}  // namespace tcsim::library
