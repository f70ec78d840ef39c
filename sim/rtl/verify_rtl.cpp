#include "sim/rtl/verify_rtl.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/sm/tensor_core.hpp"
#include "sim/config/load.hpp"
#include "sim/mma/vector_table.hpp"
#include "sim/rtl/mixed_operands.hpp"

namespace tcsim::rtl {

namespace {

constexpr int kPassesPerStallPattern = 64;
constexpr Stalls kStallPatterns[] = {{0, 0}, {4, 0}, {0, 4}, {8, 8}, {2, 13}, {13, 2}};

int machine_macs(const UnitInfo& info, numerics::ElementType input) {
  const config::Machine machine = config::load_machine(std::string(info.machine));
  return sm::dense_macs(*sm::tensor_type(isa::input_of(input)), machine.sm.tensor);
}

/// Fills in everything that does not depend on the operands.
UnitReport start_report(MatrixUnit& unit, const Operation& operation, int machine_macs,
                        const VerifyOptions& options) {
  const UnitInfo& info = unit.info();
  UnitReport report(info, operation);
  report.seed = options.seed;
  report.replay_machine = options.machine;
  report.timing = measure_timing(unit, operation);
  report.macs_per_cycle =
      report.timing.passes_per_cycle * info.elements() * info.products(operation);
  report.machine_macs_per_cycle = machine_macs;
  return report;
}

void finish_report(const Verification& verification, UnitReport& report) {
  report.vectors = verification.vectors();
  report.passes = verification.passes();
  report.cycles = verification.cycles();
  report.coverage = verification.coverage();
  report.divergence = verification.divergence();
}

std::unique_ptr<MatrixUnit> traced_unit(const UnitInfo& info, const VerifyOptions& options) {
  auto unit = make_unit(info);
  if (!options.vcd.empty()) unit->trace_to(options.vcd);
  return unit;
}

/// A pass over elements [first_k, first_k + products) of up to rows x columns vectors, on the
/// diagonal; `c` holds the accumulator of each.
Pass diagonal_pass(const UnitInfo& unit, const Operation& operation,
                   std::span<const mma::Vector> vectors, std::size_t first_k,
                   const std::vector<std::uint64_t>& c) {
  Pass pass(unit, operation);
  const auto products = static_cast<std::size_t>(pass.products);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const mma::Vector& vector = vectors[i];
    const std::size_t count = std::min(products, vector.a.size() - first_k);
    std::copy_n(vector.a.begin() + first_k, count, pass.a.begin() + i * products);
    std::copy_n(vector.b.begin() + first_k, count, pass.b.begin() + i * products);
    pass.c[i * (static_cast<std::size_t>(unit.columns) + 1)] = c[i];
  }
  return pass;
}

/// Sends vectors of one length through the unit and compares with the measured results.
void replay(Verification& verification, const UnitInfo& unit, const Operation& operation,
            std::span<const mma::Vector> vectors, UnitReport& report) {
  std::vector<std::uint64_t> c;
  for (const mma::Vector& vector : vectors) c.push_back(vector.c);
  const std::string source = fmt::format("{}:{}", report.file, vectors.front().line);
  const auto products = static_cast<std::size_t>(unit.products(operation));
  for (std::size_t k = 0; k < vectors.front().a.size(); k += products) {
    verification.push(diagonal_pass(unit, operation, vectors, k, c), {2, 2}, source);
    verification.drain();
    if (verification.divergence()) return;
    for (std::size_t i = 0; i < vectors.size(); ++i)
      c[i] = verification.last_result()[i * (static_cast<std::size_t>(unit.columns) + 1)];
  }
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    ++report.measured;
    const std::uint64_t measured = vectors[i].d.front().pattern;
    if (c[i] != measured)
      report.measured_mismatches.push_back(
          {fmt::format("{}:{}", report.file, vectors[i].line), c[i], measured});
  }
}

}  // namespace

std::unique_ptr<MatrixUnit> make_unit(const UnitInfo& info) {
  if (info.name == kUnit4x4x4.name) return make_unit_4x4x4();
  return info.name == kUnit8x4x8.name ? make_unit_8x4x8() : make_unit_8x4x16();
}

UnitReport verify_random(const UnitInfo& info, const Operation& operation,
                         const VerifyOptions& options) {
  const auto unit = traced_unit(info, options);
  return verify_random(*unit, operation, machine_macs(info, operation.input), options);
}

UnitReport verify_random(MatrixUnit& unit, const Operation& operation, int machine_macs,
                         const VerifyOptions& options) {
  const UnitInfo& info = unit.info();
  UnitReport report = start_report(unit, operation, machine_macs, options);
  MixedOperands operands(info, operation, options.seed);
  Verification verification(unit, operation, options.seed + 1);
  Random random(options.seed + 2);
  Stalls stalls;
  std::int64_t pushed = 0;  // vectors of the operation
  for (std::int64_t i = 0; pushed < options.vectors && !verification.divergence(); ++i) {
    if (i % kPassesPerStallPattern == 0) {
      verification.drain();
      stalls = kStallPatterns[random.between(0, static_cast<int>(std::size(kStallPatterns)) - 1)];
    }
    const Pass pass = operands.next();
    verification.push(pass, stalls, fmt::format("pass {}, {}", i, operands.scenario()));
    if (pass.operation == operation) pushed += info.elements();
  }
  verification.drain();
  finish_report(verification, report);
  return report;
}

UnitReport verify_file(const UnitInfo& info, const Operation& operation, const std::string& file,
                       const VerifyOptions& options) {
  std::vector<mma::Vector> vectors;
  const auto take = [&](const mma::VectorTable& table, const mma::Vector& vector) {
    vectors.push_back(vector);
    vectors.back().d = {vector.d[table.wrapped_result()]};
  };
  mma::for_each_vector(file, arithmetic_of(info, operation), take);
  const auto unit = traced_unit(info, options);
  UnitReport report = start_report(*unit, operation, machine_macs(info, operation.input), options);
  report.file = file;
  Verification verification(*unit, operation, options.seed + 1);
  const auto diagonal = static_cast<std::size_t>(std::min(info.rows, info.columns));
  for (std::size_t i = 0; i < vectors.size() && !verification.divergence();) {
    std::size_t count = 1;
    while (count < diagonal && i + count < vectors.size() &&
           vectors[i + count].a.size() == vectors[i].a.size())
      ++count;
    replay(verification, info, operation, std::span(vectors).subspan(i, count), report);
    i += count;
  }
  finish_report(verification, report);
  return report;
}

}  // namespace tcsim::rtl
