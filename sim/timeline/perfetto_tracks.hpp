#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/isa/cycle.hpp"

namespace tcsim::timeline {

/// Gives each slice a track of its group on which nothing overlaps it. Slices come in order of
/// their start.
class Tracks {
 public:
  struct Track {
    int number;    ///< dense over all groups of this object, from 1
    int of_group;  ///< number in its group, from 0
    bool is_new;
  };

  /// A track of `group` that is free in [from, until).
  Track place(const std::string& group, Cycle from, Cycle until);

 private:
  struct Lane {
    int number;
    Cycle free;
  };
  std::map<std::string, std::vector<Lane>> groups_;
  int next_ = 1;
};

}  // namespace tcsim::timeline
