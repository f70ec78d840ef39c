#include "models/sm/residency.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "models/sm/lane_values.hpp"

namespace tcsim::sm {

void Residency::begin_kernel(const Kernel& kernel, int cta_slots) {
  kernel_ = &kernel;
  ctas_.assign(static_cast<std::size_t>(cta_slots), Cta{});
  free_cta_slots_.clear();
  for (int slot = cta_slots - 1; slot >= 0; --slot) free_cta_slots_.push_back(slot);
}

void Residency::hand_over(const CtaPlace& place, Cycle at) {
  pending_.push_back({place, at, free_cta_slots_.back()});
  free_cta_slots_.pop_back();
}

/// Warps receive their slots when they start: which slots are free then must not depend on when the
/// owner learned of the CTA.
Cta& Residency::place_next() {
  const PendingCta next = pending_.front();
  pending_.pop_front();
  Cta& cta = ctas_[static_cast<std::size_t>(next.slot)];
  const int warps = kernel_->launch().warps_per_cta;
  cta.number = static_cast<std::uint16_t>(started_++ % WritesUnderWay::kNumbers);
  cta.start = next.at;
  cta.warps.clear();
  cta.warps_left = warps;
  cta.barriers = {};  // a barrier at which no warp waited may remain
  cta.mbarriers = {};
  cta.met = {};
  cta.cluster = next.place.cluster;
  cta.rank = next.place.rank;
  cta.cluster_barrier = {};
  cta.taken.clear();
  for (int index = 0; index < warps; ++index) place_warp(next, index);
  return cta;
}

void Residency::place_warp(const PendingCta& cta, int index) {
  const std::size_t slot = lowest_free_place();
  Warp& warp = warps_[slot];
  std::vector<std::int64_t> fixed_values = std::move(warp.fixed_values);
  std::vector<std::int64_t> trips = std::move(warp.trips);
  warp = Warp{};
  warp.slot = static_cast<std::uint8_t>(slot);
  warp.sub_core = static_cast<std::uint8_t>(slot % sub_cores_);
  warp.cta_slot = static_cast<std::uint16_t>(cta.slot);
  warp.program = &kernel_->program_of_warp(index);
  warp.next_instruction = warp.program->instructions.data();
  warp.age = ++warps_started_;
  warp.resident = true;
  const std::array<std::int64_t, 3>& grid = cta.place.grid;
  warp.bindings = {grid[0], grid[1], grid[2], index};
  warp.fixed_values = std::move(fixed_values);
  warp.trips = std::move(trips);
  warp.taken = &ctas_[static_cast<std::size_t>(cta.slot)].taken;
  if (kernel_->launch().recording != nullptr) {
    warp.recorded = std::make_unique<RecordedCursor>(*kernel_, grid, index);
    warp.next_instruction = &warp.recorded->next();
  }
  bind_warp(*warp.program, warp.bindings, warp.fixed_values);
  warp.count_trips();
  ctas_[static_cast<std::size_t>(cta.slot)].warps.push_back(warp.slot);
  ++resident_;
}

/// Hardware warp w runs on sub-core w modulo the number of sub-cores (HUE25), so warps rotate over
/// the sub-cores even if CTAs are small. Taking the lowest free slot is an assumption.
std::size_t Residency::lowest_free_place() const {
  std::size_t slot = 0;
  while (warps_[slot].resident) ++slot;
  return slot;
}

/// An exited warp keeps its slot until its loads and copies have returned.
void Residency::retire_if_done(Warp& warp, Cycle now) {
  if (!warp.exiting || warp.counters.busy() != 0 || warp.copies.has_any_under_way()) return;
  if (warp.peer_writes != 0 || cta_of(warp).boxes_under_way != 0 ||
      warp.products.has_any_under_way())
    return;
  warp.exiting = false;
  warp.resident = false;
  --resident_;
  const Cta& cta = cta_of(warp);
  if (cta.warps_left != 0) return;
  for (const int slot : cta.warps) {
    const Warp& other = warps_[static_cast<std::size_t>(slot)];
    if (other.resident && other.cta_slot == warp.cta_slot) return;
  }
  free_cta_slots_.push_back(warp.cta_slot);
  if (cta.cluster != memory::ClusterTable::kNone) left_clusters_.push_back(cta.cluster);
  ended_ctas_.push_back(now + 1);  // the cycle of the last EXIT still belongs to the CTA
  if (observer_ != nullptr) observer_->ended(warp.cta_slot, now + 1);
}

int Residency::find(std::uint16_t cluster, int rank) const {
  for (std::size_t slot = 0; slot < ctas_.size(); ++slot) {
    const Cta& cta = ctas_[slot];
    if (cta.cluster != cluster || cta.rank != rank || cta.warps.empty()) continue;
    const bool is_there = std::ranges::any_of(cta.warps, [&](int w) {
      const Warp& warp = warps_[static_cast<std::size_t>(w)];
      return warp.resident && warp.cta_slot == slot;
    });
    if (is_there) return static_cast<int>(slot);
  }
  return kNoSlot;
}

std::vector<const Warp*> Residency::by_age() const {
  std::vector<const Warp*> resident;
  for (const Warp& warp : warps_)
    if (warp.resident) resident.push_back(&warp);
  std::ranges::sort(resident, {}, &Warp::age);
  return resident;
}

}  // namespace tcsim::sm
