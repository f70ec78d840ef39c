#include "workloads/networks/placement.hpp"

#include <algorithm>
#include <limits>

namespace tcsim::networks {
namespace {

constexpr std::int64_t kGranularity = 512;  // PyTorch's allocator, its notes on CUDA semantics

class Allocator {
 public:
  explicit Allocator(Placement& placement) : placement_(placement) {}

  int take(std::int64_t bytes) {
    const std::int64_t needed = (bytes + kGranularity - 1) / kGranularity * kGranularity;
    for (std::size_t i = free_.size(); i-- > 0;) {
      const int block = free_[i];
      const std::int64_t size = placement_.bytes[static_cast<std::size_t>(block)];
      if (size < needed || size > 2 * needed) continue;  // larger ones are kept for larger tensors
      free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(i));
      return block;
    }
    placement_.bytes.push_back(needed);
    return static_cast<int>(placement_.bytes.size()) - 1;
  }
  void give_back(int block) { free_.push_back(block); }

 private:
  Placement& placement_;
  std::vector<int> free_;  ///< the block freed last is at the end
};

}  // namespace

Placement place(const Program& program) {
  constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> last(program.tensors.size(), kNever);
  for (std::size_t step = 0; step < program.steps.size(); ++step)
    for (const Binding& binding : program.steps[step].bindings)
      last[static_cast<std::size_t>(binding.tensor)] = step;
  Placement placement;
  placement.block_of.assign(program.tensors.size(), -1);
  Allocator allocator(placement);
  // Weights exist before the first step, so they never reuse a block that a tensor has freed.
  for (const Step& step : program.steps) {
    for (const Binding& binding : step.bindings) {
      const auto tensor = static_cast<std::size_t>(binding.tensor);
      int& block = placement.block_of[tensor];
      if (program.tensors[tensor].is_permanent && block < 0)
        block = allocator.take(program.tensors[tensor].bytes);
    }
  }
  for (std::size_t step = 0; step < program.steps.size(); ++step) {
    for (const Binding& binding : program.steps[step].bindings) {
      const auto tensor = static_cast<std::size_t>(binding.tensor);
      int& block = placement.block_of[tensor];
      if (block < 0) block = allocator.take(program.tensors[tensor].bytes);
    }
    std::vector<std::size_t> freed;
    for (const Binding& binding : program.steps[step].bindings) {
      const auto tensor = static_cast<std::size_t>(binding.tensor);
      const bool is_last = last[tensor] == step && !program.tensors[tensor].is_permanent;
      if (is_last && std::ranges::find(freed, tensor) == freed.end()) freed.push_back(tensor);
    }
    for (const std::size_t tensor : freed) allocator.give_back(placement.block_of[tensor]);
  }
  return placement;
}

BlockSums block_sums(const Program& program, const Placement& placement) {
  std::vector<double*> sum_of(placement.bytes.size(), nullptr);
  BlockSums sums;
  for (std::size_t tensor = 0; tensor < program.tensors.size(); ++tensor)
    if (program.tensors[tensor].is_permanent && placement.block_of[tensor] >= 0)
      sum_of[static_cast<std::size_t>(placement.block_of[tensor])] =
          program.tensors[tensor].is_cache ? &sums.cache : &sums.weights;
  for (std::size_t block = 0; block < placement.bytes.size(); ++block)
    (sum_of[block] != nullptr ? *sum_of[block] : sums.activations) +=
        static_cast<double>(placement.bytes[block]);
  return sums;
}

}  // namespace tcsim::networks
