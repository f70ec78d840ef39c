#include "sim/run/prepare/memory_needs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "models/memory/line_request.hpp"
#include "sim/errors/errors.hpp"
#include "sim/run/request_fields.hpp"

namespace tcsim::run {
namespace {

using workload::OperandSize;

/// Bytes that buffers share with none but those within them.
struct Stretch {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  const isa::Buffer* largest = nullptr;
};

std::vector<Stretch> stretches_of(const std::vector<isa::KernelLaunch>& launches) {
  std::vector<const isa::Buffer*> buffers;
  for (const isa::KernelLaunch& launch : launches)
    for (const isa::Buffer& buffer : launch.buffers) buffers.push_back(&buffer);
  std::ranges::stable_sort(buffers, {}, &isa::Buffer::base_address);
  std::vector<Stretch> stretches;
  for (const isa::Buffer* buffer : buffers) {
    const std::uint64_t end = buffer->base_address + buffer->bytes;
    if (stretches.empty() || buffer->base_address >= stretches.back().end) {
      stretches.push_back({buffer->base_address, end, buffer});
      continue;
    }
    Stretch& last = stretches.back();
    last.end = std::max(last.end, end);
    if (buffer->bytes > last.largest->bytes) last.largest = buffer;
  }
  return stretches;
}

double sum_of(const std::vector<OperandSize>& needs) {
  return std::accumulate(needs.begin(), needs.end(), 0.0,
                         [](double sum, const OperandSize& need) { return sum + need.bytes; });
}

/// "96 GiB", "1.5 MiB", three digits.
std::string amount_text(double bytes) {
  constexpr double kStep = 1024;
  constexpr std::array kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB"};
  std::size_t unit = 0;
  for (; bytes >= kStep && unit + 1 < kUnits.size(); ++unit) bytes /= kStep;
  constexpr double kThreeDigits = 100;
  return bytes < kThreeDigits ? fmt::format("{:.3g} {}", bytes, kUnits.at(unit))
                              : fmt::format("{:.0f} {}", bytes, kUnits.at(unit));
}

/// The memory of a board in bytes.
double capacity_of(const config::Machine& machine) {
  constexpr double kGibibyte = 1024.0 * 1024.0 * 1024.0;  // memory is sold by powers of two
  return machine.descriptive.memory_gb * kGibibyte;
}

/// "96 GiB (A 32 GiB + B 32 GiB + D 32 GiB)".
std::string sum_text(const std::vector<OperandSize>& needs) {
  constexpr std::size_t kMostTerms = 6;
  std::string terms;
  double rest = 0;
  for (std::size_t i = 0; i < needs.size(); ++i) {
    if (i < kMostTerms)
      terms +=
          fmt::format("{}{} {}", i == 0 ? "" : " + ", needs[i].name, amount_text(needs[i].bytes));
    else
      rest += needs[i].bytes;
  }
  if (rest > 0) terms += " + others " + amount_text(rest);
  return fmt::format("{} ({})", amount_text(sum_of(needs)), terms);
}

}  // namespace

std::vector<OperandSize> memory_needs(const std::vector<isa::KernelLaunch>& launches) {
  std::vector<OperandSize> needs;
  for (const Stretch& stretch : stretches_of(launches))
    needs.push_back({stretch.largest->name, static_cast<double>(stretch.end - stretch.first)});
  std::ranges::stable_sort(needs, std::greater{}, &OperandSize::bytes);
  return needs;
}

void require_addressable(const std::string& what, const std::vector<OperandSize>& needs) {
  if (sum_of(needs) <= static_cast<double>(memory::kCodeMemory)) return;
  throw NotCovered(fmt::format("{}: operands and results take {}; the model addresses {}", what,
                               sum_text(needs),
                               amount_text(static_cast<double>(memory::kCodeMemory))));
}

void require_addressable(const std::string& what, const std::vector<isa::KernelLaunch>& launches) {
  require_addressable(what, memory_needs(launches));
  std::vector<Stretch> stretches = stretches_of(launches);
  for (Stretch& stretch : stretches) {
    const std::uint64_t bytes = stretch.end - stretch.first;
    stretch.first %= std::uint64_t{1} << memory::kPhysicalBits;
    stretch.end = stretch.first + bytes;
  }
  std::ranges::sort(stretches, {}, &Stretch::first);
  for (std::size_t i = 0; i < stretches.size(); ++i) {
    const bool is_last = i + 1 == stretches.size();
    const std::uint64_t end = is_last ? memory::kCodeMemory : stretches[i + 1].first;
    if (stretches[i].end <= end) continue;
    throw NotCovered(fmt::format(
        "{}: buffer {} reaches into {}: physical addresses have {} bits, of which the last 4 GiB "
        "are code",
        what, stretches[i].largest->name,
        is_last ? "the addresses of code" : "buffer " + stretches[i + 1].largest->name,
        memory::kPhysicalBits));
  }
}

bool exceeds_capacity(const std::vector<OperandSize>& needs, const config::Machine& machine) {
  return sum_of(needs) > capacity_of(machine);
}

void refuse_capacity(const std::string& what, const std::vector<OperandSize>& needs,
                     const config::Machine& machine, const std::string& way) {
  throw NotCovered(fmt::format(
      "{}: needs {} of memory, the board of {} has {} (descriptive.memory_gb). Use a board with "
      "more{}, or {}.",
      what, sum_text(needs), machine.name, amount_text(capacity_of(machine)),
      way.empty() ? "" : ", " + way, word_of("ignore_capacity")));
}

}  // namespace tcsim::run
