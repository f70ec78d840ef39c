#include "workloads/microbench/buffer_stream.hpp"

#include <algorithm>
#include <string>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/program_builder.hpp"
#include "workloads/microbench/launch_shape.hpp"

namespace tcsim::microbench {
namespace {

using isa::Opcode;
using isa::Register;
using isa::Term;
using isa::Variable;

constexpr std::int64_t kElementBytes = 8;
constexpr std::int64_t kWarpBytes = 32 * kElementBytes;
constexpr std::int64_t kArrayAlignment = 256;

constexpr Register kThread = 0;
constexpr Register kCta = 1;
constexpr Register kIndex = 2;
constexpr Register kSum = 3;
constexpr int kFirstAddress = 4;
constexpr int kFirstValue = 16;

Register address(int array) { return kernels::reg(kFirstAddress + 2 * array); }
Register value(int array) { return kernels::reg(kFirstValue + 2 * array); }

/// What a compiled kernel computes before its first load: thread and CTA number, index, bounds, an
/// address per array.
void compute_addresses(kernels::ProgramBuilder& builder, int arrays) {
  builder.append(kernels::arithmetic(Opcode::kS2r, kThread));
  builder.append(kernels::arithmetic(Opcode::kS2r, kCta));
  builder.append(kernels::arithmetic(Opcode::kImad, kIndex, kCta, kCta, kThread));
  builder.append(kernels::arithmetic(Opcode::kIsetp, isa::kZeroRegister, kIndex, kIndex));
  for (int array = 0; array < arrays; ++array)
    builder.append(kernels::arithmetic(Opcode::kImadWide, address(array), kIndex, kIndex));
}

}  // namespace

std::int64_t array_bytes(const ElementStream& stream) {
  return stream.ctas * stream.warps * kWarpBytes;
}

isa::KernelLaunch element_stream(const ElementStream& stream, const isa::TimingTable& timing) {
  const int arrays = stream.reads + stream.writes;
  kernels::ProgramBuilder builder("element stream");
  compute_addresses(builder, arrays);
  isa::MemoryAccess access;
  access.global.offset.terms = {Term{Variable::kCtaX, stream.warps * kWarpBytes},
                                Term{Variable::kWarp, kWarpBytes},
                                Term{Variable::kLane, kElementBytes}};
  for (int array = 0; array < stream.reads; ++array) {
    access.buffer = array;
    builder.append(
        kernels::load(Opcode::kLdg64, value(array), address(array), builder.access(access)));
  }
  for (int array = 0; array < stream.reads; ++array)
    builder.append(
        kernels::arithmetic(Opcode::kFfma, value(0), value(array), value(array), value(0)));
  for (int array = stream.reads; array < arrays; ++array) {
    access.buffer = array;
    builder.append(
        kernels::store(Opcode::kStg64, value(0), address(array), builder.access(access)));
  }
  isa::KernelLaunch launch =
      one_program_launch(builder.finish(), timing, stream.ctas, stream.warps, stream.shared_bytes);
  const std::int64_t bytes = ceil_div(array_bytes(stream), kArrayAlignment) * kArrayAlignment;
  for (int array = 0; array < arrays; ++array)
    launch.buffers.push_back(
        {.name = "array " + std::to_string(array),
         .base_address = stream.base + static_cast<std::uint64_t>(array * bytes),
         .bytes = static_cast<std::uint64_t>(bytes),
         .input = array < stream.reads});
  return launch;
}

std::int64_t bytes_per_round(const RepeatedRead& read) {
  return std::int64_t{read.loads} * read.warps * kWarpBytes;
}

isa::KernelLaunch repeated_read(const RepeatedRead& read, const isa::TimingTable& timing) {
  const std::int64_t piece = bytes_per_round(read);
  const std::int64_t pieces = std::max<std::int64_t>(1, read.bytes / piece);
  const std::int64_t starts = std::max<std::int64_t>(1, pieces / read.rounds);
  kernels::ProgramBuilder builder("repeated read");
  compute_addresses(builder, 1);
  isa::MemoryAccess access;
  access.buffer = 0;
  if (read.is_private) {
    access.global.offset.terms = {Term{Variable::kCtaX, pieces * piece},
                                  Term{.variable = Variable::kLoop0,
                                       .coefficient = piece,
                                       .modulus = static_cast<std::uint32_t>(pieces)}};
  } else {
    access.global.offset.terms = {Term{.variable = Variable::kCtaX,
                                       .coefficient = piece,
                                       .modulus = static_cast<std::uint32_t>(starts)},
                                  Term{Variable::kLoop0, starts * piece}};
  }
  access.global.offset.terms.push_back({Variable::kWarp, kWarpBytes});
  access.global.offset.terms.push_back({Variable::kLane, kElementBytes});
  builder.begin_loop();
  for (int load = 0; load < read.loads; ++load) {
    access.global.offset.constant = std::int64_t{load} * read.warps * kWarpBytes;
    builder.append(kernels::load(Opcode::kLdg64, value(load), address(0), builder.access(access)));
  }
  for (int load = 0; load < read.loads; ++load)
    builder.append(kernels::arithmetic(Opcode::kFfma, kSum, value(load), value(load), kSum));
  builder.end_loop(read.rounds);
  isa::KernelLaunch launch = one_program_launch(builder.finish(), timing, read.ctas, read.warps);
  const std::int64_t bytes =
      read.is_private ? read.ctas * pieces * piece : starts * read.rounds * piece;
  launch.buffers.push_back(
      {.name = "buffer", .base_address = read.base, .bytes = static_cast<std::uint64_t>(bytes)});
  return launch;
}

}  // namespace tcsim::microbench
