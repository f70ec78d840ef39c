#include "sim/core_rtl/tools.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

#include "sim/errors/errors.hpp"
#include "sim/process/child_pool.hpp"
#include "sim/process/verdict.hpp"

namespace tcsim::core_rtl {
namespace {

/// The path of the program `name` in $PATH, or `name` itself if it contains a slash; empty if not
/// found.
std::string in_path(const std::string& name) {
  if (name.find('/') != std::string::npos)
    return ::access(name.c_str(), X_OK) == 0 ? name : std::string();
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const std::filesystem::path file = std::filesystem::path(folder) / name;
    if (!folder.empty() && ::access(file.c_str(), X_OK) == 0) return file.string();
  }
  return {};
}

/// The output of a program, without the end of its last line; IoError unless its status is 0.
std::string printed_by(const std::vector<std::string>& words) {
  const process::ChildPool pool(process::PoolOptions{});
  const process::PoolEvents events{{}, [](std::size_t, const auto&) {}, [] { return 0; }};
  const process::ChildResult result = pool.run({{words}}, events).front();
  if (result.status != 0 || result.signal != 0)
    throw IoError(fmt::format("{} {}: {}: {}", words[0], words.back(),
                              process::verdict_of(result).words, result.errors));
  const std::size_t end = result.output.find('\n');
  return result.output.substr(0, end);
}

std::string find_compiler() {
  const char* const wanted = std::getenv("CXX");
  if (wanted != nullptr && *wanted != '\0') {
    if (std::string path = in_path(wanted); !path.empty()) return path;
    throw IoError(fmt::format("CXX={}: there is no such program", wanted));
  }
  for (const char* const name : {"c++", "g++", "clang++"})
    if (std::string path = in_path(name); !path.empty()) return path;
  throw IoError(
      "a C++ compiler makes libraries of RTL, and none is in PATH: install the package "
      "g++ (apt-get install g++)");
}

}  // namespace

Tools find_tools() {
  Tools tools;
  tools.verilator = in_path("verilator");
  if (tools.verilator.empty())
    throw IoError(
        "Verilator makes C++ of RTL, and it is not in PATH: install the package "
        "verilator (apt-get install verilator)");
  tools.compiler = find_compiler();
  tools.verilator_version = printed_by({tools.verilator, "--version"});
  tools.verilator_include =
      printed_by({tools.verilator, "--getenv", "VERILATOR_ROOT"}) + "/include";
  tools.compiler_version = printed_by({tools.compiler, "--version"});
  return tools;
}

}  // namespace tcsim::core_rtl
