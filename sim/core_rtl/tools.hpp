#pragma once

#include <string>

namespace tcsim::core_rtl {

/// The programs that build a library from RTL.
struct Tools {
  std::string verilator;          ///< path
  std::string verilator_version;  ///< as it prints it
  std::string verilator_include;  ///< its headers
  std::string compiler;           ///< path of $CXX, c++, g++ or clang++, the first one found
  std::string compiler_version;
};

/// Throws IoError that names the package of a missing program.
Tools find_tools();

}  // namespace tcsim::core_rtl
