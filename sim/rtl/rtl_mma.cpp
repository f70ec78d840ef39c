#include "sim/rtl/rtl_mma.hpp"

#include <stdexcept>
#include <string>

namespace tcsim::rtl {

namespace {

using numerics::ElementType;
using numerics::Generation;
using numerics::MmaInstruction;
using Registers = std::vector<RegisterImage>;

/// A unit that has not answered for so long never will.
constexpr int kPatience = 1000;

/// Bits along k of a row of A in one half step of Ampere's array.
constexpr int kHalfStepBits = 128;

/// Lane-major words as one image for each register.
Registers registers_of(std::span<const std::uint32_t> words) {
  const std::size_t count = words.size() / 32;
  Registers registers(count);
  for (std::size_t i = 0; i < words.size(); ++i) registers[i % count][i / count] = words[i];
  return registers;
}

std::vector<std::uint32_t> words_of(const Registers& registers) {
  std::vector<std::uint32_t> words;
  words.reserve(registers.size() * 32);
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (const RegisterImage& image : registers) words.push_back(image[lane]);
  return words;
}

bool has_types(const MmaInstruction& of) {
  const bool float_types =
      of.d == ElementType::kFp32 &&
      (of.a == ElementType::kFp16 || of.a == ElementType::kBf16 || of.a == ElementType::kTf32);
  const bool half_types = of.d == ElementType::kFp16 && of.a == ElementType::kFp16;
  return of.a == of.b && of.c == of.d && (float_types || half_types || of.a == ElementType::kInt8);
}

bool has(Generation generation, const MmaInstruction& of) {
  if (of.kind != numerics::InstructionKind::kMma || of.sparse || of.saturate || !has_types(of))
    return false;
  if (generation == Generation::kVolta) return of.matrices() == 4;
  const int bits = of.shape.k * numerics::bits(of.a);
  return of.shape.m == 16 && (bits == kHalfStepBits || bits == 2 * kHalfStepBits);
}

}  // namespace

numerics::Result<std::shared_ptr<RtlMma>> RtlMma::create(Generation generation) {
  if (generation == Generation::kVolta)
    return std::shared_ptr<RtlMma>(new RtlMma(generation, make_warp_unit_volta()));
  if (generation == Generation::kAmpere)
    return std::shared_ptr<RtlMma>(new RtlMma(generation, make_warp_unit_ampere()));
  return numerics::unsupported("rtl/ has matrix units of volta and ampere, none of " +
                               std::string(numerics::name(generation)));
}

numerics::Result<std::vector<std::uint32_t>> RtlMma::execute(
    const MmaInstruction& instruction, const numerics::MmaOperands& operands) {
  if (!has(generation_, instruction))
    return numerics::unsupported("the RTL unit of " + std::string(numerics::name(generation_)) +
                                 " has no " + numerics::to_string(instruction.shape) + " with " +
                                 std::string(numerics::name(instruction.a)));
  WarpMma mma;
  mma.input = instruction.a;
  mma.accumulator = instruction.d;
  mma.a = registers_of(operands.a);
  mma.b = registers_of(operands.b);
  mma.c = registers_of(operands.c);
  const std::int64_t start = unit_->now();
  const Registers d = generation_ == Generation::kVolta
                          ? execute_volta(instruction, mma)
                          : execute_ampere(instruction, std::move(mma));
  busy_cycles_ += unit_->now() - start;
  ++instructions_;
  return words_of(d);
}

Registers RtlMma::execute_ampere(const MmaInstruction& instruction, WarpMma mma) {
  mma.long_k = instruction.shape.k * numerics::bits(instruction.a) > kHalfStepBits;
  return run(mma);
}

/// The steps of HMMA.884, each with its pair of C.
Registers RtlMma::execute_volta(const MmaInstruction& instruction, const WarpMma& mma) {
  WarpMma step = mma;
  step.a_column_major = instruction.a_layout == numerics::Layout::kColumn;
  step.b_row_major = instruction.b_layout == numerics::Layout::kRow;
  Registers d;
  for (std::size_t first = 0; first < mma.c.size(); first += 2, ++step.step) {
    step.c = {mma.c[first], mma.c[first + 1]};
    const Registers pair = run(step);
    d.insert(d.end(), pair.begin(), pair.end());
  }
  return d;
}

Registers RtlMma::run(const WarpMma& mma) {
  for (int waited = 0; !unit_->can_accept(); ++waited) {
    if (waited == kPatience) throw std::logic_error("the RTL matrix unit takes no instruction");
    unit_->clock();
  }
  unit_->accept(mma);
  for (int waited = 0; waited < kPatience; ++waited) {
    unit_->clock();
    auto finished = unit_->take_finished();
    if (!finished.empty()) return std::move(finished.front().d);
  }
  throw std::logic_error("the RTL matrix unit does not answer");
}

}  // namespace tcsim::rtl
