#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/isa/opcode.hpp"
#include "models/isa/timing.hpp"
#include "sim/config/machine.hpp"
#include "sim/microbench/programs.hpp"
#include "sim/microbench/test_words.hpp"

namespace tcsim::microbench {

/// The inputs of a measurement; refers to objects of the caller.
struct Bench {
  const config::Machine& machine;
  const isa::TimingTable& timing;
  const TestWords& test;
  const std::string& unit;

  double gigahertz() const { return machine.clocks.sm_mhz / 1000.0; }
};

/// Multiply-adds of one operation that consists of `steps`.
std::int64_t macs_of(const std::vector<isa::Opcode>& steps);

/// The instruction that multiplies in the rings of `test`.
std::string ring_product(const TestWords& test);

// One function per program of sim/microbench/README.md. They require a test and a unit without
// mistakes.
Measurement measure_operation(const Bench& bench);
Measurement measure_chase(const Bench& bench);
Measurement measure_constants(const Bench& bench);
Measurement measure_read(const Bench& bench);
Measurement measure_cold_read(const Bench& bench);
Measurement measure_stream(const Bench& bench);
Measurement measure_null(const Bench& bench);
Measurement measure_boxes(const Bench& bench);
Measurement measure_group(const Bench& bench);
Measurement measure_ring(const Bench& bench);
Measurement measure_ring_copies(const Bench& bench);
Measurement measure_ring_products(const Bench& bench);
Measurement measure_grid_barrier(const Bench& bench);
Measurement measure_hand_over(const Bench& bench);
Measurement measure_cluster_barrier(const Bench& bench);
Measurement measure_cluster_loads(const Bench& bench);
Measurement measure_cluster_stores(const Bench& bench);
Measurement measure_cluster_puts(const Bench& bench);
Measurement count_clusters(const Bench& bench);

}  // namespace tcsim::microbench
