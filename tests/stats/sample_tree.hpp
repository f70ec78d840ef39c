#pragma once

#include "models/stats/stats.hpp"

namespace tcsim::stats {

/// A chip of two SMs with two sub-cores each; sub-core s of SM m has issued 10 * m + s
/// instructions.
struct SampleTree {
  struct SubCore {
    SubCore(const std::string& name, Group& parent)
        : group(name, parent),
          issued(group, "issued", "instructions", "Instructions issued; replays do not count") {}
    Group group;
    Counter issued;
  };
  struct Sm {
    Sm(const std::string& name, Group& parent)
        : group(name, parent),
          conflicts(group, "conflicts", "wavefronts", "Wavefronts, with \"extra\" ones"),
          first("sub_core[0]", group),
          second("sub_core[1]", group) {}
    Group group;
    Counter conflicts;
    SubCore first;
    SubCore second;
  };

  SampleTree() {
    second.first.issued.add(10);
    first.second.issued.add(1);
    second.second.issued.add(11);
    first.conflicts.add(5);
  }

  Group root{"gpu"};
  Sm first{"sm[0]", root};
  Sm second{"sm[1]", root};
};

}  // namespace tcsim::stats
