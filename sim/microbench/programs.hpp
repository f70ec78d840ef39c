#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "models/isa/cycle.hpp"
#include "models/isa/launch.hpp"
#include "models/isa/opcode.hpp"
#include "models/isa/timing.hpp"
#include "sim/config/machine.hpp"
#include "sim/gpu/simulation.hpp"
#include "sim/microbench/test_words.hpp"

namespace tcsim::microbench {

/// One measurement: kernels of one stream, and how to compute the figure from their times.
/// Intervals are differences between two kernels of different length, so that launch, warm-up and
/// drain cancel.
struct Measurement {
  std::vector<isa::KernelLaunch> launches;
  bool overwritten_l2 = false;   ///< a program that wrote to other memory ran before
  std::int64_t ctas_per_sm = 1;  ///< of every launch, must run on an SM at once
  /// Computes the figure from the SM cycles of each kernel, first launch to last CTA's end.
  std::function<double(const std::vector<Cycle>&)> figure;
};

/// Appends a sentence to `mistakes` for every mistake in `test`: unknown program or parameter,
/// value out of range.
void check_program(const TestWords& test, std::vector<std::string>& mistakes);

/// Why `test` cannot be measured in `unit`, with the possible units; empty if it can.
std::string check_unit(const TestWords& test, const std::string& unit);

/// The opcodes that one operation of program `name` consists of ("HMMA.884.F32.F32" has four);
/// empty if there is none.
std::vector<isa::Opcode> operation_steps(std::string_view name);

/// The launches for `test` in `unit` on `machine`. Requires both to be free of mistakes, and their
/// opcodes to be in `timing`.
Measurement make_measurement(const config::Machine& machine, const isa::TimingTable& timing,
                             const TestWords& test, const std::string& unit);

}  // namespace tcsim::microbench
