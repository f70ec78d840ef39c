#include "models/isa/scheduling/loop_map.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace tcsim::isa {

LoopMap::LoopMap(const WarpProgram& program)
    : program_(program),
      ending_at_(program.instructions.size(), kNoIndex),
      innermost_(program.instructions.size(), kNoIndex),
      parent_(program.loops.size(), kNoIndex),
      start_of_position_(program.instructions.size(), kNoIndex) {
  std::vector<int> order(program.loops.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const Loop& left = program.loops[a];
    const Loop& right = program.loops[b];
    return left.first != right.first ? left.first < right.first : left.last > right.last;
  });
  std::vector<int> open;
  for (const int index : order) {
    const Loop& loop = program.loops[index];
    assert(loop.first >= 0 && loop.first <= loop.last);
    assert(loop.last < static_cast<int>(program.instructions.size()));
    while (!open.empty() && program.loops[open.back()].last < loop.first) open.pop_back();
    if (!open.empty()) {
      assert(loop.last < program.loops[open.back()].last);
      parent_[index] = open.back();
    }
    open.push_back(index);
    ending_at_[loop.last] = index;
    std::fill(innermost_.begin() + loop.first, innermost_.begin() + loop.last + 1, index);
    if (start_of_position_[loop.first] == kNoIndex) {
      start_of_position_[loop.first] = static_cast<int>(starts_.size());
      starts_.emplace_back();
    }
    starts_[start_of_position_[loop.first]].push_back(index);
  }
}

const std::vector<int>& LoopMap::starting_at(int position) const {
  static const std::vector<int> none;
  const int start = start_of_position_[position];
  return start == kNoIndex ? none : starts_[start];
}

int LoopMap::common(int position, int other) const {
  int loop = innermost_[position];
  while (loop != kNoIndex &&
         (other < program_.loops[loop].first || other > program_.loops[loop].last)) {
    loop = parent_[loop];
  }
  return loop;
}

}  // namespace tcsim::isa
