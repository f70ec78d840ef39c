#include "models/functional/global_memory.hpp"

#include <algorithm>
#include <stdexcept>

namespace tcsim::functional {
namespace {

bool is_same_memory(const isa::Buffer& a, const isa::Buffer& b) {
  return a.base_address == b.base_address && a.bytes == b.bytes;
}

bool overlap(const isa::Buffer& a, const isa::Buffer& b) {
  return a.base_address < b.base_address + b.bytes && b.base_address < a.base_address + a.bytes;
}

}  // namespace

GlobalMemory::GlobalMemory(std::span<const isa::KernelLaunch> stream) {
  for (const isa::KernelLaunch& launch : stream)
    for (const isa::Buffer& buffer : launch.buffers) {
      const auto is_known = [&](const isa::Buffer& known) { return is_same_memory(known, buffer); };
      if (std::ranges::any_of(buffers_, is_known)) continue;
      buffers_.push_back(buffer);
      contents_.emplace_back(buffer.bytes);
    }
}

std::optional<std::vector<std::span<std::uint8_t>>> GlobalMemory::buffers_of(
    const isa::KernelLaunch& launch) {
  std::vector<std::span<std::uint8_t>> result;
  for (const isa::Buffer& buffer : launch.buffers) {
    const auto found = std::ranges::find_if(
        buffers_, [&](const isa::Buffer& known) { return is_same_memory(known, buffer); });
    if (found == buffers_.end()) return std::nullopt;
    result.emplace_back(contents_[static_cast<std::size_t>(found - buffers_.begin())]);
  }
  return result;
}

std::string GlobalMemory::conflict() const {
  for (std::size_t i = 0; i < buffers_.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (overlap(buffers_[i], buffers_[j]))
        return "buffers " + buffers_[j].name + " and " + buffers_[i].name + " overlap";
  return {};
}

int GlobalMemory::index_of(std::string_view name) const {
  const auto found = std::ranges::find(buffers_, name, &isa::Buffer::name);
  if (found == buffers_.end())
    throw std::out_of_range("no launch has a buffer called " + std::string(name));
  return static_cast<int>(found - buffers_.begin());
}

}  // namespace tcsim::functional
