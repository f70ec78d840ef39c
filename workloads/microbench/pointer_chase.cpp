#include "workloads/microbench/pointer_chase.hpp"

#include "workloads/kernels/program_builder.hpp"
#include "workloads/microbench/launch_shape.hpp"

namespace tcsim::microbench {
namespace {

using isa::kLanes;
using isa::Opcode;
using isa::Term;
using isa::Variable;

constexpr std::int64_t kSmallRadix = 8;
constexpr std::int64_t kLargeRadix = 64;
constexpr isa::Register kPointer = 2;

std::uint32_t narrow(std::int64_t value) { return static_cast<std::uint32_t>(value); }

/// coefficient for every CTA from `cta` on, of fewer than `ctas`.
Term from_cta(std::int64_t cta, std::int64_t ctas, std::int64_t coefficient) {
  return {Variable::kCtaX, coefficient, narrow(ctas), 0, narrow(ctas - cta)};
}

/// 0 for `cta`, 1 for every other CTA.
isa::Expression others(std::int64_t cta, std::int64_t ctas) {
  return {1, {from_cta(cta, ctas, -1), from_cta(cta + 1, ctas, 1)}};
}

/// `trips` for the part's CTA, 1 for every other CTA.
isa::Expression trips_of_one(const PointerChase::Part& part, std::int64_t trips) {
  return {1,
          {from_cta(part.cta, part.ctas, trips - 1), from_cta(part.cta + 1, part.ctas, 1 - trips)}};
}

}  // namespace

PointerChase::PointerChase(std::int64_t bytes, int line_bytes)
    : line_bytes_(line_bytes),
      radix_(bytes / line_bytes < kLargeRadix * kLargeRadix ? kSmallRadix : kLargeRadix),
      lines_(bytes / line_bytes / (radix_ * radix_) * (radix_ * radix_)) {}

isa::Buffer PointerChase::buffer() const {
  return {.name = "list",
          .base_address = 1 << 20,
          .bytes = static_cast<std::uint64_t>(lines_ * line_bytes_)};
}

isa::KernelLaunch PointerChase::walk(const Part& part, const isa::TimingTable& timing) const {
  const std::int64_t high = lines_ / radix_ * line_bytes_;
  const std::int64_t middle = high / radix_;
  kernels::ProgramBuilder builder("pointer chase");
  isa::MemoryAccess access;
  access.buffer = 0;
  const std::uint32_t offset = narrow(part.first);
  access.global.offset.terms = {
      Term{Variable::kLoop0, high, 1, narrow(radix_), offset},
      Term{Variable::kLoop0, middle, narrow(radix_), narrow(radix_), offset},
      Term{Variable::kLoop0, line_bytes_, narrow(radix_ * radix_),
           narrow(lines_ / (radix_ * radix_)), offset}};
  const int next = builder.access(access);
  const int walker =
      builder.guard({{{{.terms = {{Variable::kLane, 1}}}, 1}, {others(part.cta, part.ctas), 1}}});
  builder.begin_loop();
  builder.append(kernels::load(Opcode::kLdg32, kPointer, kPointer, next, walker));
  builder.end_loop(trips_of_one(part, part.count));
  isa::KernelLaunch launch =
      one_program_launch(builder.finish(), timing, part.ctas, 1, part.shared_bytes);
  launch.buffers.push_back(buffer());
  return launch;
}

isa::KernelLaunch PointerChase::touch_all(const Part& part, const isa::TimingTable& timing) const {
  // A warp instruction takes 32 consecutive positions; `warps` of them are one or more turns of the
  // lowest digits.
  const std::int64_t high = lines_ / radix_ * line_bytes_;
  const std::int64_t middle = high / radix_;
  const std::int64_t rows =
      radix_ * radix_ / kLanes;  // warp instructions per value of the top digit
  const std::int64_t warps = radix_ == kSmallRadix ? rows : kLanes;
  kernels::ProgramBuilder builder("touch all lines");
  isa::MemoryAccess access;
  access.buffer = 0;
  auto& terms = access.global.offset.terms;
  if (radix_ == kSmallRadix) {
    terms = {Term{Variable::kLane, high, 1, narrow(radix_)},
             Term{Variable::kLane, middle, narrow(radix_)},
             Term{Variable::kWarp, middle * (kLanes / kSmallRadix)},
             Term{Variable::kLoop0, line_bytes_}};
  } else {
    const std::int64_t loops = rows / warps;
    terms = {Term{Variable::kLane, high}, Term{Variable::kWarp, high * kLanes, 1, 2},
             Term{Variable::kWarp, middle, 2},
             Term{Variable::kLoop0, middle * (warps / 2), 1, narrow(loops)},
             Term{Variable::kLoop0, line_bytes_, narrow(loops)}};
  }
  const int every = builder.access(access);
  const int toucher = builder.guard({{{others(part.cta, part.ctas), 1}}});
  const std::int64_t trips = lines_ / (kLanes * warps);
  builder.begin_loop();
  builder.append(kernels::load(Opcode::kLdg32, kPointer + 2, kPointer, every, toucher));
  builder.append(kernels::control(Opcode::kBarSync));  // keeps the warps in step with the walk
  builder.end_loop(trips_of_one(part, trips));
  isa::KernelLaunch launch = one_program_launch(builder.finish(), timing, part.ctas,
                                                static_cast<int>(warps), part.shared_bytes);
  launch.buffers.push_back(buffer());
  return launch;
}

}  // namespace tcsim::microbench
