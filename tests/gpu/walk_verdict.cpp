#include "tests/gpu/walk_verdict.hpp"

#include <algorithm>

namespace tcsim::gpu::test {

std::string fault_of(const WalkCase& walk, const WalkResult& result) {
  if (!result.fault.empty()) return text_of(walk) + ": " + result.fault;
  if (result.refusal.empty()) return {};
  const bool names_a_key = std::ranges::any_of(walk.keys, [&result](const std::string& key) {
    return result.refusal.find(key.substr(key.rfind('.') + 1)) != std::string::npos;
  });
  return names_a_key ? "" : text_of(walk) + ": refused without its keys: " + result.refusal;
}

std::string fault_of(const WalkCase& walk) { return fault_of(walk, run_walk_case(walk)); }

}  // namespace tcsim::gpu::test
