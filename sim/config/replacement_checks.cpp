#include "sim/config/replacement_checks.hpp"

#include <fmt/core.h>

#include <bit>
#include <string>

#include "models/memory/replacement/replacement.hpp"
#include "sim/config/schema.hpp"

namespace tcsim::config {
namespace {

/// `ways` is the key of how many places a set has; 0 of them stand for no cache.
MachineCheck check_ways_of(const std::string& replacement, const std::string& ways) {
  return {{replacement, ways}, [=](const Machine& machine) -> std::string {
            Machine copy = machine;  // slots give references to what may be changed
            const std::string& name =
                std::get<std::string& (*)(Machine&)>(find_key(replacement)->slot)(copy);
            const int count = std::get<int& (*)(Machine&)>(find_key(ways)->slot)(copy);
            if (!memory::replacement::List::needs_power_of_two_ways(name) || count == 0 ||
                std::has_single_bit(static_cast<unsigned>(count)))
              return {};
            return fmt::format("{} needs a power of two of {}, which is {}", name, ways, count);
          }};
}

}  // namespace

std::vector<MachineCheck> replacement_checks() {
  return {
      check_ways_of("sm.instruction_fetch.replacement", "sm.instruction_fetch.l0_ways"),
      check_ways_of("sm.instruction_fetch.replacement", "sm.instruction_fetch.l1_ways"),
      check_ways_of("sm.constant_cache.replacement", "sm.constant_cache.l0_ways"),
      check_ways_of("sm.constant_cache.replacement", "sm.constant_cache.load_ways"),
      check_ways_of("sm.l1.replacement", "sm.l1.ways"),
      check_ways_of("tlb.replacement", "tlb.tpc_entries"),
      check_ways_of("tlb.replacement", "tlb.chip_entries"),
      check_ways_of("l2.replacement", "l2.ways"),
  };
}

}  // namespace tcsim::config
