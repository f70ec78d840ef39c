#include "sim/timeline/path_reads.hpp"

#include <algorithm>

namespace tcsim::timeline {

PathReads::Reads* PathReads::find(std::uint16_t sm, std::uint32_t tag) {
  const auto of_sm = sms_.find(sm);
  if (of_sm == sms_.end()) return nullptr;
  const auto reads = of_sm->second.find(tag);
  return reads == of_sm->second.end() ? nullptr : &reads->second;
}

void PathReads::sent(std::uint16_t sm, std::uint32_t tag, Cycle at, Cycle arrives) {
  if (const auto of_sm = sms_.find(sm); of_sm != sms_.end())
    of_sm->second[tag].push_back({.sent = at, .arrived = arrives});
}

void PathReads::looked_up(std::uint16_t sm, std::uint32_t tag, Cycle at) {
  Reads* const reads = find(sm, tag);
  if (reads == nullptr) return;
  const auto read = std::ranges::find(*reads, kNever, &Read::looked_up);
  if (read != reads->end()) read->looked_up = at;
}

void PathReads::found(std::uint16_t sm, std::uint32_t tag, Cycle at, Cycle leaves) {
  Reads* const reads = find(sm, tag);
  if (reads == nullptr) return;
  const auto read = std::ranges::find_if(
      *reads, [](const Read& r) { return r.looked_up != kNever && r.found == kNever; });
  if (read == reads->end()) return;
  read->found = at;
  read->left = leaves;
}

std::optional<PathReads::Read> PathReads::take(std::uint16_t sm, std::uint32_t tag) {
  Reads* const reads = find(sm, tag);
  if (reads == nullptr) return std::nullopt;
  const auto first = std::ranges::min_element(*reads, {}, &Read::left);
  const Read read = *first;
  reads->erase(first);
  if (reads->empty()) sms_[sm].erase(tag);
  return read;
}

}  // namespace tcsim::timeline
