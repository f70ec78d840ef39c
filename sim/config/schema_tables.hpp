#pragma once

#include <vector>

#include "sim/config/schema.hpp"

/// Path and slot of a key from one spelling of its field, so that no key can name another field.
#define TC_KEY(field) \
#field, +[](Machine & machine) -> auto& { return machine.field; }

namespace tcsim::config {

// The parts of keys(), in the order of a machine file.
std::vector<Key> chip_keys();
std::vector<Key> numerics_keys();
std::vector<Key> sm_keys();
std::vector<Key> pipe_keys();
std::vector<Key> memory_keys();
std::vector<Key> dram_keys();
std::vector<Key> launch_keys();
std::vector<Key> link_keys();
std::vector<Key> energy_keys();

}  // namespace tcsim::config
