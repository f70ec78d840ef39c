#pragma once

#include <map>
#include <string>
#include <string_view>

#include "sim/library/load.hpp"
#include "workloads/kernels/library.hpp"

namespace tcsim::test {

/// The libraries that the machine files of a generation name, read once.
inline const kernels::Libraries& libraries_named(std::string_view generation) {
  static const auto read = [](std::string_view machine) {
    return library::load_machine(std::string(machine)).kernel_libraries;
  };
  static const std::map<std::string, kernels::Libraries, std::less<>> all{
      {"pascal", read("p100")}, {"volta", read("v100")},  {"turing", read("t4")},
      {"ampere", read("a100")}, {"hopper", read("h100")},
  };
  return all.find(generation)->second;
}

}  // namespace tcsim::test
