#include "sim/rtl/verification.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/numerics/integer_mma.hpp"
#include "models/numerics/mma.hpp"

namespace tcsim::rtl {

namespace {

using numerics::ElementType;

/// A unit that has not answered for this many cycles never will: no stall lasts as long.
constexpr int kDeadlockCycles = 10'000;

bool chance_of_16(Random& random, int sixteenths) { return random.between(0, 15) < sixteenths; }

}  // namespace

Verification::Verification(MatrixUnit& unit, const Operation& operation, std::uint64_t seed)
    : unit_(unit), random_(seed), arrived_(static_cast<std::size_t>(cuts_of(unit.info()))) {
  for (const Operation& of : unit.info().operations) {
    if (of == operation) verified_ = checkers_.size();
    checkers_.push_back({of, arithmetic_of(unit.info(), of), StageProbe(unit, of),
                         Coverage(of, arithmetic_of(unit.info(), of).block)});
  }
}

Verification::Checker& Verification::checker_of(const Operation& operation) {
  return *std::find_if(checkers_.begin(), checkers_.end(),
                       [&](const Checker& checker) { return checker.operation == operation; });
}

void Verification::trace_blocks(Checker& checker, std::span<const std::uint64_t> row,
                                std::span<const std::uint64_t> column, std::uint64_t c,
                                ElementModel& model) {
  const numerics::BlockParams& block = checker.arithmetic.block;
  const auto length = static_cast<std::size_t>(block.products);
  model.pattern = c;
  for (std::size_t k = 0; k < row.size(); k += length) {
    const std::size_t count = std::min(length, row.size() - k);
    model.traces.push_back(numerics::trace_block(block, row.subspan(k, count),
                                                 column.subspan(k, count), model.pattern));
    model.pattern = model.traces.back().pattern;
    checker.coverage.observe(model.traces.back());
  }
}

Verification::InFlight Verification::model_of(const Pass& pass, const std::string& source) {
  Checker& checker = checker_of(pass.operation);
  InFlight result{pass, &checker.probe, std::vector<ElementModel>(pass.c.size()), source};
  checker.coverage.observe_patterns(pass);
  for (std::size_t i = 0; i < pass.c.size(); ++i) {
    const auto row = pass.row(static_cast<int>(i));
    const auto column = pass.column(static_cast<int>(i));
    ElementModel& model = result.models[i];
    if (pass.operation.input == ElementType::kInt8) {
      for (std::size_t k = 0; k < row.size(); ++k)
        model.integer_terms.push_back(
            std::int64_t{numerics::integer_value(ElementType::kInt8, row[k])} *
            numerics::integer_value(ElementType::kInt8, column[k]));
      model.integer_terms.push_back(static_cast<std::int32_t>(pass.c[i]));
      model.pattern = numerics::mma(checker.arithmetic, row, column, pass.c[i]);
      checker.coverage.observe_integer(model);
    } else {
      trace_blocks(checker, row, column, pass.c[i], model);
    }
  }
  return result;
}

void Verification::push(const Pass& pass, const Stalls& stalls, const std::string& source) {
  if (divergence_) return;
  inputs_.operation = pass.operation;
  pack(pass.a, numerics::bits(pass.operation.input), inputs_.a);
  pack(pass.b, numerics::bits(pass.operation.input), inputs_.b);
  pack(pass.c, /*bits=*/32, inputs_.c);
  inputs_.tag = static_cast<std::uint8_t>(passes_);
  InFlight expected = model_of(pass, source);
  inputs_.blocks = std::max(1, static_cast<int>(expected.models.front().traces.size()));
  while (chance_of_16(random_, stalls.producer)) cycle(false, stalls);
  const std::int64_t number = passes_;
  in_flight_.push_back(std::move(expected));
  for (int waited = 0; number == passes_ && !divergence_; ++waited) {
    if (waited == kDeadlockCycles)
      report({-1, "handshake", "operands", "never taken", "taken"}, &in_flight_.back());
    else
      cycle(true, stalls);
  }
}

void Verification::drain() {
  for (int waited = 0; taken_out_ < passes_ && !divergence_; ++waited) {
    if (waited == kDeadlockCycles)
      report({-1, "handshake", "result", "never offered", "offered"}, &in_flight_.front());
    else
      cycle(false, {});
  }
  if (!divergence_) cycle(false, {});
  if (!divergence_ && unit_.outputs().valid)
    report({-1, "handshake", "result", "offered once too often", "nothing in flight"}, nullptr);
  verified().coverage.hit(Bin::kDrained);
}

/// One clock cycle: drives the pins, takes what is offered, clocks, compares what moved.
void Verification::cycle(bool offered, const Stalls& stalls) {
  if (divergence_) return;
  inputs_.valid = offered;
  inputs_.ready = !chance_of_16(random_, stalls.consumer);
  unit_.drive(inputs_);
  observe_handshake(offered);
  const bool accepted = offered && unit_.outputs().ready;
  if (unit_.outputs().valid && inputs_.ready) take_result();
  unit_.clock();
  ++cycles_;
  if (accepted) ++passes_;
  if (!divergence_) compare_cuts();
}

void Verification::observe_handshake(bool offered) {
  const UnitOutputs& outputs = unit_.outputs();
  if (offered && !outputs.ready) verified().coverage.hit(Bin::kInputHeld);
  if (!outputs.valid || inputs_.ready) return;
  verified().coverage.hit(Bin::kOutputHeld);
  const auto cuts = static_cast<int>(arrived_.size());
  int holding = 0;
  for (int cut = 0; cut < cuts; ++cut) holding += verified().probe.state(cut).valid;
  if (holding == cuts) verified().coverage.hit(Bin::kFullPipelineHeld);
  if (holding > 1 && holding < cuts) verified().coverage.hit(Bin::kBubbleInside);
}

/// Last cut first: an operation must have been checked at each cut before it advances.
void Verification::compare_cuts() {
  for (auto cut = static_cast<int>(arrived_.size()); cut > 0 && !divergence_; --cut)
    compare_cut(cut - 1);
}

void Verification::compare_cut(int cut) {
  const CutState state = verified().probe.state(cut);
  if (!state.valid) return;
  std::int64_t& arrived = arrived_[static_cast<std::size_t>(cut)];
  const auto tag = [](std::int64_t number) { return static_cast<std::uint8_t>(number); };
  if (arrived > taken_out_ && state.tag == tag(arrived - 1)) return;  // held: already compared
  if (arrived >= passes_ || state.tag != tag(arrived)) {
    report({-1, "handshake", fmt::format("operation at cut {}", cut),
            fmt::format("tag {}", state.tag), fmt::format("tag {}", tag(arrived))},
           nullptr);
    return;
  }
  const InFlight& expected = in_flight(arrived);
  ++arrived;
  for (std::size_t element = 0; element < expected.models.size(); ++element) {
    const auto found =
        expected.probe->compare(cut, static_cast<int>(element), expected.models[element]);
    if (found) {
      report(*found, &expected);
      return;
    }
  }
}

void Verification::take_result() {
  const UnitOutputs& outputs = unit_.outputs();
  const auto expected_tag = static_cast<std::uint8_t>(taken_out_);
  if (taken_out_ == passes_ || outputs.tag != expected_tag) {
    report({-1, "handshake", "order of results", fmt::format("tag {}", outputs.tag),
            taken_out_ == passes_ ? "nothing in flight" : fmt::format("tag {}", expected_tag)},
           nullptr);
    return;
  }
  const InFlight& expected = in_flight_.front();
  for (std::size_t element = 0; element < expected.models.size(); ++element) {
    const ElementModel& model = expected.models[element];
    if (outputs.d[element] != model.pattern) {
      report({static_cast<int>(element), "result", "d", fmt::format("{:08x}", outputs.d[element]),
              fmt::format("{:08x}", model.pattern)},
             &expected);
      return;
    }
  }
  last_result_ = outputs.d;
  if (expected.pass.operation == verified().operation)
    vectors_ += static_cast<std::int64_t>(expected.models.size());
  in_flight_.pop_front();
  ++taken_out_;
}

void Verification::report(const Divergence& divergence, const InFlight* in_flight) {
  DivergentVector vector;
  vector.divergence = divergence;
  vector.operation = verified().operation;
  vector.vector = vectors_;
  if (in_flight) {
    vector.operation = in_flight->pass.operation;
    const int element = std::max(0, divergence.element);
    const auto row = in_flight->pass.row(element);
    const auto column = in_flight->pass.column(element);
    vector.a.assign(row.begin(), row.end());
    vector.b.assign(column.begin(), column.end());
    vector.c = in_flight->pass.c[static_cast<std::size_t>(element)];
    vector.model_d = in_flight->models[static_cast<std::size_t>(element)].pattern;
    vector.source = in_flight->source;
  }
  divergence_ = std::move(vector);
}

}  // namespace tcsim::rtl
