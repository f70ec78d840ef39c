#include "sim/values/tensor_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "models/functional/execute.hpp"
#include "models/isa/mma_types.hpp"
#include "models/numerics/convert.hpp"
#include "models/numerics/format.hpp"
#include "sim/values/element.hpp"

namespace tcsim::values {
namespace {

/// A tensor as one row, in memory order.
Matrix row_of(const TensorShape& shape, std::vector<double> elements) {
  return {1, 1, shape.elements(), std::move(elements)};
}

Placement placement_of(const TensorShape& shape) { return {shape.element, /*row_major=*/true}; }

std::vector<double> elements_of(const TensorShape& shape, std::span<const std::uint8_t> bytes) {
  return load(bytes, placement_of(shape), 1, 1, shape.elements()).values;
}

std::vector<double> drawn(const TensorShape& shape, Distribution distribution, std::uint64_t seed,
                          std::size_t stream) {
  const bool is_int8 = shape.element == kernels::Element::kInt8;
  return draw(distribution, is_int8 ? NumberKind::kInt8 : NumberKind::kReal, seed,
              static_cast<std::uint32_t>(stream), static_cast<std::size_t>(shape.elements()));
}

std::vector<std::int64_t> coordinates(const TensorShape& shape, std::int64_t index) {
  std::vector<std::int64_t> place(shape.extents.size());
  for (std::size_t i = shape.extents.size(); i-- > 0;) {
    place[i] = index % shape.extents[i];
    index /= shape.extents[i];
  }
  return place;
}

/// Whether an element of `type` that is `exact` within `allowed` may be `value`. If it may overflow
/// to either side, so may parts of its sum, and infinities cancel to a NaN; integers wrap.
bool is_explained(numerics::ElementType type, double value, double exact, double allowed) {
  if (std::abs(value - exact) <= allowed || !std::isfinite(exact) || !std::isfinite(allowed))
    return true;
  if (numerics::is_integer(type)) return !(std::abs(exact) + allowed < 0x1p31);
  const numerics::Format& format = numerics::format_of(type);
  const double largest = numerics::value_as_double(type, format.largest_finite());
  const bool above = exact + allowed > largest;
  const bool below = exact - allowed < -largest;
  if (!std::isnan(value)) return std::isinf(value) && (value > 0 ? above : below);
  const bool has_infinity = format.specials == numerics::SpecialRule::kInfinityAndNan;
  return has_infinity ? above && below : above || below;
}

/// The MMAs in the programs of `stream`.
std::set<isa::Opcode> mmas_in(std::span<const isa::KernelLaunch> stream) {
  std::set<isa::Opcode> mmas;
  for (const isa::KernelLaunch& launch : stream)
    for (const isa::WarpProgram& program : launch.programs)
      for (const isa::Instruction& instruction : program.instructions)
        if (isa::is_mma(instruction.opcode) || isa::is_group_mma(instruction.opcode))
          mmas.insert(instruction.opcode);
  return mmas;
}

/// How many times larger the errors of sums of `mmas` on `core` may be than on its generation.
/// Bounds count relative errors, so there is no bound if subnormals are zeros.
double slack(const numerics::TensorArithmetic& core, const std::set<isa::Opcode>& mmas) {
  int lost_digits = 0;
  for (const isa::Opcode mma : mmas) {
    const isa::MmaTypes types = isa::mma_types(isa::opcode_info(mma));
    numerics::ArithmeticKey key;
    if (isa::is_group_mma(mma)) key.kind = numerics::InstructionKind::kWgmma;
    key.a = key.b = types.input;
    key.accumulator = types.sum;
    const auto usual = find_arithmetic(numerics::TensorArithmetic(core.base), key);
    if (!usual.has_value()) continue;
    const numerics::BlockParams& before = usual.value().block;
    const numerics::BlockParams now = find_arithmetic(core, key).value().block;
    if (!now.result.subnormals) return std::numeric_limits<double>::infinity();
    const bool truncates = now.result.mode == numerics::RoundingMode::kTruncate;
    lost_digits = std::max({lost_digits, truncates && before.result.mode != now.result.mode ? 1 : 0,
                            before.grid_fraction_bits - now.grid_fraction_bits,
                            before.result.kept_fraction_bits - now.result.kept_fraction_bits});
  }
  return std::ldexp(1.0, lost_digits);
}

/// The elements of result `number` that the definition defines.
std::vector<double> defined_of(const TensorOperation& operation, std::size_t number,
                               const std::vector<double>& values) {
  if (!operation.defines) return values;
  std::vector<double> defined;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (operation.defines(number, static_cast<std::int64_t>(i))) defined.push_back(values[i]);
  return defined;
}

/// Compares one result with its definition.
class ResultCheck {
 public:
  ResultCheck(const TensorOperation& operation, std::size_t number,
              std::span<const std::uint8_t> bytes)
      : values_(elements_of(operation.results[number], bytes)),
        type_(type_of(operation.results[number].element)),
        meter_(type_) {
    result_.shape = operation.results[number];
    result_.bytes.assign(bytes.begin(), bytes.end());
    result_.specials = count_specials(defined_of(operation, number, values_), type_);
  }

  void compare(std::int64_t index, double exact, double allowed) {
    const double value = values_[static_cast<std::size_t>(index)];
    const double difference = std::abs(value - exact);
    result_.has_bound = result_.has_bound || std::isfinite(allowed);
    if (std::isfinite(exact) && std::isfinite(value)) {
      meter_.add(index, exact, difference);
      if (difference > 0)
        result_.nearest_bound = std::max(result_.nearest_bound, difference / allowed);
    }
    if (!is_explained(type_, value, exact, allowed)) ++result_.outside;
  }

  [[nodiscard]] TensorResult finish() {
    result_.arithmetic = meter_.figures();
    result_.worst = coordinates(result_.shape, meter_.worst());
    return std::move(result_);
  }

  [[nodiscard]] const std::vector<double>& values() const { return values_; }

 private:
  std::vector<double> values_;
  numerics::ElementType type_;
  ErrorMeter meter_;
  TensorResult result_;
};

/// Writes input number `input` of `operation`.
WrittenTensor written_to(functional::GlobalMemory& memory, const TensorOperation& operation,
                         std::size_t input, const std::vector<double>& reals) {
  if (operation.write)
    if (auto written = operation.write(input, reals, memory)) return std::move(*written);
  const TensorShape& shape = operation.inputs[input];
  const std::span<std::uint8_t> buffer = memory.buffer(shape.name);
  const Conversion conversion = store(row_of(shape, reals), placement_of(shape), buffer);
  return {conversion, elements_of(shape, buffer)};
}

/// Calls `visit` as operation.evaluate does, and polls.
void evaluate_and_poll(const TensorOperation& operation, const TensorElements& inputs,
                       const functional::Poll& poll, const ElementVisit& visit) {
  constexpr std::int64_t kElementsPerPoll = 64;
  operation.evaluate(inputs,
                     [&](std::size_t result, std::int64_t index, double exact, double allowed) {
                       if (index % kElementsPerPoll == 0) poll();
                       visit(result, index, exact, allowed);
                     });
}

/// Errors of `results` against the definition on `inputs`.
std::vector<ErrorFigures> errors_on(const TensorOperation& operation, const TensorElements& inputs,
                                    const std::vector<ResultCheck>& results,
                                    const functional::Poll& poll) {
  std::vector<ErrorMeter> meters;
  for (const TensorShape& shape : operation.results) meters.emplace_back(type_of(shape.element));
  evaluate_and_poll(
      operation, inputs, poll, [&](std::size_t result, std::int64_t index, double exact, double) {
        const double value = results[result].values()[static_cast<std::size_t>(index)];
        if (std::isfinite(exact) && std::isfinite(value))
          meters[result].add(index, exact, std::abs(value - exact));
      });
  std::vector<ErrorFigures> figures;
  figures.reserve(meters.size());
  for (const ErrorMeter& meter : meters) figures.push_back(meter.figures());
  return figures;
}

}  // namespace

numerics::Result<TensorValues> execute_operation(const TensorOperation& operation,
                                                 Distribution distribution, std::uint64_t seed,
                                                 const numerics::TensorArithmetic& core,
                                                 std::span<const isa::KernelLaunch> stream,
                                                 functional::MmaEngine* engine,
                                                 const functional::Poll& poll) {
  functional::GlobalMemory memory(stream);
  // Memory that no kernel writes stays a NaN, or a number that no sum gives.
  for (int i = 0; i < memory.buffers(); ++i)
    std::ranges::fill(memory.buffer(i), std::uint8_t{0xff});
  for (const isa::KernelLaunch& launch : stream)
    for (const isa::Buffer& buffer : launch.buffers)
      if (buffer.flags) std::ranges::fill(memory.buffer(buffer.name), std::uint8_t{0});
  TensorValues values;
  TensorElements reals;
  TensorElements stored;
  for (const TensorShape& shape : operation.inputs)
    reals.push_back(drawn(shape, distribution, seed, reals.size()));
  if (operation.derive) operation.derive(reals, poll);
  for (std::size_t i = 0; i < reals.size(); ++i) {
    const TensorShape& shape = operation.inputs[i];
    WrittenTensor written = written_to(memory, operation, i, reals[i]);
    values.inputs.push_back({shape, written.conversion});
    stored.push_back(std::move(written.elements));
  }
  const auto executed = functional::execute(stream, core, memory, engine, poll);
  if (!executed.has_value()) return executed.refusal();
  values.racing_bytes = executed.value().racing_bytes;
  std::vector<ResultCheck> results;
  for (std::size_t i = 0; i < operation.results.size(); ++i)
    results.emplace_back(operation, i, memory.buffer(operation.results[i].name));
  const double times = slack(core, mmas_in(stream));
  evaluate_and_poll(operation, stored, poll,
                    [&](std::size_t result, std::int64_t index, double exact, double allowed) {
                      results[result].compare(index, exact, allowed * times);
                    });
  const bool rounded = std::ranges::any_of(
      values.inputs, [](const TensorInput& input) { return !input.conversion.is_exact(); });
  std::vector<ErrorFigures> with_conversion;
  if (rounded) with_conversion = errors_on(operation, reals, results, poll);
  for (std::size_t i = 0; i < results.size(); ++i) {
    values.results.push_back(results[i].finish());
    if (rounded) values.results.back().conversion = with_conversion[i];
  }
  return values;
}

}  // namespace tcsim::values
