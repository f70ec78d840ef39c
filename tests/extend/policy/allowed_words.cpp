// Prints the keys of the schema that take words, "KEY WORD|WORD...", a line each: those of the
// tables that this is linked with.

#include <iostream>

#include "sim/config/schema_tables.hpp"

int main() {
  for (const auto& part : {tcsim::config::sm_keys(), tcsim::config::memory_keys()})
    for (const tcsim::config::Key& key : part)
      if (!key.words.empty()) std::cout << key.path << ' ' << key.words << '\n';
}
