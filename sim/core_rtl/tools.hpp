#pragma once

#include <string>

namespace tcsim::core_rtl {

/// The programs that make a library of RTL.
struct Tools {
  std::string verilator;          ///< path
  std::string verilator_version;  ///< as it prints it
  std::string verilator_include;  ///< its headers
  std::string compiler;           ///< path of $CXX, c++, g++ or clang++, the first that is there
  std::string compiler_version;
};

/// Throws IoError that names the package of what is not there.
Tools find_tools();

}  // namespace tcsim::core_rtl
