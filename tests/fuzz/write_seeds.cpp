#include <filesystem>
#include <fstream>

#include "tests/fuzz/target.hpp"

/// usage: fuzz_seeds FOLDER. Writes the seeds of each target to FOLDER/TARGET/, for libFuzzer.
int main(int argc, char* argv[]) {
  using namespace tcsim::fuzz;
  if (argc != 2) return 2;
  for (const Target& target : targets()) {
    const auto folder = std::filesystem::path(argv[1]) / target.name;
    std::filesystem::create_directories(folder);
    int number = 0;
    for (const std::string& seed : target.seeds())
      std::ofstream(folder / std::to_string(number++), std::ios::binary) << seed;
  }
}
