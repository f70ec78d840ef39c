// A sample of the walk over all keys of a machine (key_walk_long_test): whatever the range of a key
// allows runs to a plausible end, or is refused with the keys named.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/gpu/key_walk.hpp"
#include "tests/gpu/walk_verdict.hpp"

namespace tcsim::gpu::test {
namespace {

TEST(KeyWalk, ASampleOfItRunsOrIsRefused) {
  constexpr std::size_t kStride = 41;  // a prime, so that it meets all kinds of values
  for (std::size_t i = 0; i < walk_bases().size(); ++i) {
    const std::vector<WalkCase> cases = single_key_cases(walk_bases()[i]);
    for (std::size_t at = i; at < cases.size(); at += kStride) EXPECT_EQ(fault_of(cases[at]), "");
  }
}

TEST(KeyWalk, ASampleOfPairsAndTriplesRunsOrIsRefused) {
  for (const std::string& base : walk_bases())
    for (const WalkCase& walk : random_cases(base, 12, 1)) EXPECT_EQ(fault_of(walk), "");
}

/// Values that once broke: a fixed array, a ring, time that went back, a slow machine taken for a
/// deadlock.
TEST(KeyWalk, WhatRanIntoAnArrayRunsOrIsRefused) {
  for (const char* override :
       {"sm.register_file.banks=8", "sm.register_file.banks=5",
        "sm.register_file.read_ports_per_bank=4", "sm.memory_queue.address_interval_cycles=20",
        "sm.l1.hit_latency_cycles=1", "sm.memory_queue.entries=256", "sm.residency.max_warps=256",
        "sm.l1.bytes=4194304", "noc.request_header_bytes=1", "dram.controller_latency_cycles=16",
        "l2.ways=1", "sm.register_file.operand_read_window_cycles=32"}) {
    const std::string text = override;
    for (const std::string& base : walk_bases())
      EXPECT_EQ(fault_of({base, {text.substr(0, text.find('='))}, {text}}), "");
  }
}

/// `overrides` at once.
WalkCase all_of(const std::string& base, const std::vector<std::string>& overrides) {
  WalkCase walk{base, {}, overrides};
  for (const std::string& text : overrides) walk.keys.push_back(text.substr(0, text.find('=')));
  return walk;
}

/// The least of everything that holds requests on their way.
TEST(KeyWalk, MemoryWorksWithOneEntryOfEachKind) {
  for (const std::string& base : walk_bases()) {
    const WalkCase walk =
        all_of(base, {"sm.memory_queue.entries=1", "sm.l1.miss_entries=1", "sm.l1.miss_merges=1",
                      "l2.miss_entries=1", "l2.queue_entries=1", "l2.dirty_ways=1",
                      "dram.queue_entries=1", "tlb.tpc_entries=1", "tlb.chip_entries=1"});
    const WalkResult result = run_walk_case(walk);
    EXPECT_EQ(fault_of(walk, result), "");
    EXPECT_EQ(result.refusal, "");
  }
}

}  // namespace
}  // namespace tcsim::gpu::test
