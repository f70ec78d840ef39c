#include "sim/gpu/initial_contents.hpp"

#include <cmath>

#include "models/isa/cycle.hpp"

namespace tcsim::gpu {
namespace {

/// Size of the constants of a launch: its geometry and up to 4 KiB of parameters (CUDA programming
/// guide).
constexpr std::uint64_t kParameterBytes = isa::kParameterOffset + 4096;

/// Maps `number` to [0, 1) (Fibonacci hashing); deterministic.
double unit_hash(std::uint64_t number) {
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;
  constexpr int kMantissaBits = 53;
  return std::ldexp(static_cast<double>((number * kGoldenRatio) >> (64 - kMantissaBits)),
                    -kMantissaBits);
}

}  // namespace

void InitialContents::fill_l2() {
  const auto line = static_cast<std::uint64_t>(machine_.l2.line_bytes);
  std::uint64_t left = 0;
  for (const L2Content& content : options_.l2) left += content.bytes;
  const auto remembered = 2 * static_cast<std::uint64_t>(machine_.l2.bytes);
  for (const L2Content& content : options_.l2) {
    left -= content.bytes;
    if (left > remembered) continue;
    const double copied =
        machine_.l2.partitions > 1 && !content.written ? 1 - std::pow(0.5, content.readers) : 0;
    for (std::uint64_t at = content.address; at < content.address + content.bytes; at += line) {
      memory_.install(at, content.written);
      if (unit_hash(at / line) < copied) memory_.install_copy(at);
    }
  }
}

void InitialContents::install_code(std::uint32_t lines) {
  const auto bytes = static_cast<std::uint64_t>(machine_.sm.instruction_fetch.line_bytes);
  for (; code_lines_ < lines; ++code_lines_) {
    if (options_.cold_code) continue;
    memory_.install(memory::kCodeMemory + code_lines_ * bytes);
    for (const auto& sm : sms_) sm->install_code(code_lines_);
  }
}

void InitialContents::install_constants(const std::vector<std::uint32_t>& first_lines, bool again) {
  if (machine_.sm.instruction_fetch.l0_bytes == 0) return;  // constants are always present
  const auto bytes = static_cast<std::uint64_t>(machine_.sm.instruction_fetch.line_bytes);
  const auto lines = static_cast<std::uint32_t>(ceil_div(kParameterBytes, bytes));
  // Should there be more than the L2 holds, those of the first launches remain.
  for (auto launch = first_lines.rbegin(); launch != first_lines.rend(); ++launch) {
    const std::uint32_t first = *launch;
    for (std::uint32_t line = first; line < first + lines; ++line) {
      memory_.renew(memory::kCodeMemory + line * bytes);
      for (std::size_t i = 0; again && i < sms_.size(); ++i) sms_[i]->drop_constants(line);
    }
  }
}

void InitialContents::install_data(const std::vector<isa::KernelLaunch>& launches) {
  for (const isa::KernelLaunch& launch : launches) {
    for (const isa::Buffer& buffer : launch.buffers)
      memory_.install_pages(buffer.base_address, buffer.bytes);
  }
}

}  // namespace tcsim::gpu
