#include "tests/rtl/rtl_mma.hpp"

#include <stdexcept>
#include <string>

namespace tcsim::rtl {

namespace {

using numerics::Generation;
using numerics::MmaInstruction;

}  // namespace

numerics::Result<std::shared_ptr<RtlMma>> RtlMma::create(Generation generation) {
  if (auto unit = make_warp_unit(generation))
    return std::shared_ptr<RtlMma>(new RtlMma(generation, std::move(unit)));
  return numerics::unsupported("rtl/ has matrix units of volta, ampere and hopper, none of " +
                               std::string(numerics::name(generation)));
}

numerics::Result<std::vector<std::uint32_t>> RtlMma::execute(const MmaInstruction& instruction,
                                                             const numerics::MmaOperands& operands,
                                                             const functional::MmaSite& /*site*/) {
  if (!has_instruction(generation_, instruction))
    return numerics::unsupported("the RTL unit of " + std::string(numerics::name(generation_)) +
                                 " has no " + numerics::to_string(instruction.shape) + " with " +
                                 std::string(numerics::name(instruction.a)));
  std::vector<std::uint32_t> words;
  for_each_warp(instruction, operands, [&](int /*warp*/, const numerics::MmaOperands& own) {
    const WarpMma mma = warp_mma(instruction, own);
    const std::int64_t start = unit_->now();
    const Registers d = generation_ == Generation::kVolta ? execute_volta(mma) : run(mma);
    busy_cycles_ += unit_->now() - start;
    ++instructions_;
    const std::vector<std::uint32_t> of_warp = words_of(d);
    words.insert(words.end(), of_warp.begin(), of_warp.end());
  });
  return words;
}

/// The steps of HMMA.884, each with its pair of C.
Registers RtlMma::execute_volta(const WarpMma& mma) {
  WarpMma step = mma;
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
    if (waited == kUnitPatience) throw std::logic_error("the RTL matrix unit takes no instruction");
    unit_->clock();
  }
  unit_->accept(mma);
  for (int waited = 0; waited < kUnitPatience; ++waited) {
    unit_->clock();
    auto finished = unit_->take_finished();
    if (!finished.empty()) return std::move(finished.front().d);
  }
  throw std::logic_error("the RTL matrix unit does not answer");
}

}  // namespace tcsim::rtl
