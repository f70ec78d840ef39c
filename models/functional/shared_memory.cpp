#include "models/functional/shared_memory.hpp"

#include <algorithm>
#include <utility>

namespace tcsim::functional {

namespace {
constexpr std::uint8_t kUnwrittenByte = 0xff;
}

SharedMemory::SharedMemory(std::int64_t cta, int bytes)
    : bytes_(static_cast<std::size_t>(bytes), kUnwrittenByte), races_(cta, bytes) {}

void SharedMemory::read(const Accessor& who, std::int64_t offset, std::span<std::uint8_t> to) {
  races_.read(who, offset, static_cast<int>(to.size()));
  std::copy_n(bytes_.begin() + offset, to.size(), to.begin());
}

void SharedMemory::write(const Accessor& who, std::int64_t offset,
                         std::span<const std::uint8_t> from) {
  races_.write(who, offset, static_cast<int>(from.size()));
  std::ranges::copy(from, bytes_.begin() + offset);
}

std::span<std::uint8_t> SharedMemory::update(const Accessor& who, std::int64_t offset,
                                             std::size_t bytes) {
  races_.update(who, offset, static_cast<int>(bytes));
  return std::span(bytes_).subspan(static_cast<std::size_t>(offset), bytes);
}

void SharedMemory::open(const Copy& copy, CopyGroups& groups) {
  races_.open_copy(copy.issuer, copy.shared_offset, copy.bytes);
  groups.uncommitted.copies.push_back(copy);
}

bool CopyGroups::has_boxes() const {
  return !uncommitted.boxes.empty() ||
         std::ranges::any_of(groups, [](const auto& group) { return !group->boxes.empty(); });
}

void CopyGroups::close() {
  groups.push_back(std::make_shared<CopyGroup>(std::move(uncommitted)));
  uncommitted = {};
}

void SharedMemory::land(CopyGroup& group) {
  for (const Copy& copy : group.copies) {
    races_.close_copy(copy.issuer, group.told_since.value_or(races_.time_of(copy.issuer)),
                      copy.shared_offset, copy.bytes);
    std::copy_n(copy.content.begin(), copy.bytes, bytes_.begin() + copy.shared_offset);
  }
  group.copies.clear();
}

std::vector<TileCopy> SharedMemory::wait(CopyGroups& groups, int may_stay_open) {
  std::vector<TileCopy> boxes;
  while (static_cast<int>(groups.groups.size()) > may_stay_open) {
    CopyGroup& oldest = *groups.groups.front();
    land(oldest);
    std::ranges::copy(oldest.boxes, std::back_inserter(boxes));
    groups.groups.pop_front();
  }
  return boxes;
}

}  // namespace tcsim::functional
