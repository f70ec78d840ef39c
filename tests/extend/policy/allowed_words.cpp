// Prints the keys of the schema that take words, "KEY WORD|WORD...", a line each: those of the
// tables that this is linked with.

#include <iostream>

#include "sim/config/schema_tables.hpp"

int main() {
  namespace config = tcsim::config;
  for (const auto& part :
       {config::sm_keys(), config::memory_keys(), config::dram_keys(), config::launch_keys()})
    for (const config::Key& key : part)
      if (!key.words.empty()) std::cout << key.path << ' ' << key.words << '\n';
}
