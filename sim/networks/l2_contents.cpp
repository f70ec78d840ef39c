#include "sim/networks/l2_contents.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <string>
#include <tuple>

#include "models/memory/line_request.hpp"

namespace tcsim::networks {

L2Contents::L2Contents(const Placement& placement, const memory::L2Params& l2)
    : placement_(placement),
      line_bytes_(static_cast<std::uint64_t>(l2.line_bytes)),
      sector_bytes_(l2.sector_bytes),
      block_bytes_(placement.bytes) {}

/// A name may stand for several buffers of a stream: the last kernel's is the tensor.
void L2Contents::map_buffers(const Step& step, const std::vector<isa::KernelLaunch>& launches) {
  ranges_.clear();
  end_ = 0;
  std::set<std::uint64_t> known;
  std::set<std::string> bound;
  std::set<std::pair<int, std::int64_t>> places;
  has_aliases_ = false;
  for (auto launch = launches.rbegin(); launch != launches.rend(); ++launch) {
    for (const isa::Buffer& buffer : launch->buffers) {
      if (!known.insert(buffer.base_address).second) continue;
      Range range{memory::physical(buffer.base_address), static_cast<std::int64_t>(buffer.bytes),
                  -1, 0};
      const auto binding = std::ranges::find(step.bindings, buffer.name, &Binding::buffer);
      if (binding != step.bindings.end() && bound.insert(buffer.name).second) {
        range.block = placement_.block_of[static_cast<std::size_t>(binding->tensor)];
        range.offset = binding->offset;
        std::int64_t& bytes = block_bytes_[static_cast<std::size_t>(range.block)];
        bytes = std::max(bytes, range.offset + range.bytes);  // kernels may pad their tensors
        if (!places.emplace(range.block, range.offset).second) has_aliases_ = true;
      } else {
        range.block = static_cast<int>(block_bytes_.size());
        block_bytes_.push_back(range.bytes);
      }
      ranges_.push_back(range);
      end_ = std::max(end_, range.address + buffer.bytes);
    }
  }
  own_end_ = end_;
  own_ranges_ = ranges_.size();
}

void L2Contents::add_foreign_block(int block) {
  const std::uint64_t address = (end_ + kPageBytes - 1) / kPageBytes * kPageBytes;
  const std::int64_t bytes = block_bytes_[static_cast<std::size_t>(block)];
  ranges_.push_back({address, bytes, block, 0});
  end_ = address + static_cast<std::uint64_t>(bytes);
}

const L2Contents::Range* L2Contents::range_of(const BlockLine& line) const {
  const auto found =
      std::ranges::find_if(ranges_, [&](const Range& range) { return holds(range, line); });
  return found == ranges_.end() ? nullptr : &*found;
}

const std::vector<memory::CachedLine>& L2Contents::before(
    const Step& step, const std::vector<isa::KernelLaunch>& launches) {
  map_buffers(step, launches);
  found_.clear();
  found_.reserve(lines_.size());
  const Range* latest = nullptr;
  for (const BlockLine& line : lines_) {
    // A foreign range is a whole block, of which the step may have parts: they come first.
    const bool is_same = latest != nullptr && latest->address < own_end_ && holds(*latest, line);
    if (!is_same) latest = range_of(line);
    if (latest == nullptr) {
      add_foreign_block(line.block);
      latest = &ranges_.back();
    }
    memory::CachedLine moved = line.line;
    moved.address = latest->address + static_cast<std::uint64_t>(line.offset - latest->offset);
    moved.address -= moved.address % line_bytes_;
    found_.push_back(moved);
  }
  return found_;
}

L2Contents::Shape L2Contents::shape_of(const std::vector<memory::CachedLine>& lines) const {
  constexpr int kParts = 8;
  Shape shape;
  shape.bytes.resize(2 * own_ranges_ + 1);
  std::int64_t dirty_lines = 0;
  for (const memory::CachedLine& line : lines) {
    if (line.dirty != 0) ++dirty_lines;
    const std::int64_t dirty = std::popcount(line.dirty) * sector_bytes_;
    if (!is_own(line)) shape.bytes.back() += dirty;
    for (std::size_t i = 0; i < own_ranges_; ++i) {
      const Range& range = ranges_[i];
      if (line.address + line_bytes_ <= range.address ||
          line.address >= range.address + static_cast<std::uint64_t>(range.bytes))
        continue;
      shape.bytes[i] += std::popcount(line.valid) * sector_bytes_;
      shape.bytes[own_ranges_ + i] += dirty;
    }
  }
  const auto part = [](std::int64_t some, std::int64_t all) {
    return all > 0 ? static_cast<int>((kParts * some + all / 2) / all) : 0;
  };
  for (std::size_t i = 0; i < own_ranges_; ++i)
    shape.eighths.push_back(part(shape.bytes[i], ranges_[i].bytes));
  shape.eighths.push_back(part(dirty_lines, static_cast<std::int64_t>(lines.size())));
  return shape;
}

void L2Contents::after(const std::vector<memory::CachedLine>& lines) {
  std::ranges::sort(ranges_, {}, &Range::address);
  lines_.clear();
  lines_.reserve(lines.size());
  for (const memory::CachedLine& line : lines) {
    auto behind = std::ranges::upper_bound(ranges_, line.address, {}, &Range::address);
    if (behind == ranges_.begin()) continue;
    const Range& range = *std::prev(behind);
    const auto offset = static_cast<std::int64_t>(line.address - range.address);
    if (offset >= range.bytes) continue;  // no buffer's: nobody comes back to it
    lines_.push_back({range.block, range.offset + offset, line});
  }
  if (has_aliases_) drop_doubles();
}

/// Keeps the latest of lines that are the same bytes.
void L2Contents::drop_doubles() {
  std::vector<std::tuple<int, std::int64_t, int, std::size_t>> places;
  places.reserve(lines_.size());
  for (std::size_t i = 0; i < lines_.size(); ++i)
    places.emplace_back(lines_[i].block, lines_[i].offset, lines_[i].line.copy_side, i);
  std::ranges::sort(places);
  std::vector<bool> is_older(lines_.size());
  for (std::size_t i = 1; i < places.size(); ++i) {
    const auto& [block, offset, side, age] = places[i - 1];
    const auto& [next_block, next_offset, next_side, next_age] = places[i];
    is_older[age] = std::tie(block, offset, side) == std::tie(next_block, next_offset, next_side);
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (!is_older[i]) lines_[kept++] = lines_[i];
  lines_.resize(kept);
}

}  // namespace tcsim::networks
