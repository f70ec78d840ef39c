#include "models/sm/access_patterns.hpp"

#include <algorithm>

namespace tcsim::sm {
namespace {

/// Keeps addresses positive while patterns are computed relative to an aligned base, however far
/// below it a lane may be; a multiple of every period.
constexpr std::int64_t kMargin = std::int64_t{1} << 62;

/// The period of a swizzle: adding a multiple of it changes no other bit and is not swizzled
/// itself.
std::int64_t period(const isa::Swizzle& swizzle, std::int64_t at_least) {
  return std::max(at_least, std::int64_t{1} << (swizzle.base + swizzle.shift + swizzle.bits));
}

/// Key of the pattern of an access with `effect` that starts `shift` bytes after an aligned
/// address.
std::int64_t key(std::int64_t shift, isa::Effect effect) {
  constexpr int kEffectBits = 8;
  return (shift << kEffectBits) + static_cast<int>(effect);
}

/// True if each of `lanes` has the same offset as its neighbour in the other half of groups of
/// `step`.
bool equals_neighbours(const LaneValues& offsets, std::uint32_t lanes, int step) {
  for (int lane = 0; lane < kLanes; ++lane) {
    const int other = lane ^ step;
    if (((lanes >> lane) & (lanes >> other) & 1) != 0 &&
        offsets[static_cast<std::size_t>(lane)] != offsets[static_cast<std::size_t>(other)])
      return false;
  }
  return true;
}

bool is_shared_load(isa::Effect effect) {
  return effect == isa::Effect::kLoadShared || effect == isa::Effect::kLoadCluster;
}

/// Lanes that are served together if each touches `words` words; a load returns two words per lane
/// if neighbours read the same address (AccessPatterns::shared_wavefronts).
int lanes_at_once(int words, bool is_load, const LaneValues& offsets, std::uint32_t lanes) {
  const bool is_paired =
      is_load && words > 1 &&
      (equals_neighbours(offsets, lanes, 1) || equals_neighbours(offsets, lanes, 2));
  return (is_paired ? 2 : 1) * kLanes / words;
}

}  // namespace

AccessPatterns::AccessPatterns(const SmParams& params, std::size_t accesses)
    : line_bytes_(params.l1.line_bytes),
      sector_bytes_(params.l1.sector_bytes),
      banks_(params.shared_memory.banks),
      bank_width_(params.shared_memory.bank_width_bytes) {
  global_patterns_.resize(accesses);
  shared_patterns_.resize(accesses);
}

std::vector<LineSectors> AccessPatterns::compute_lines(const DecodedAccess& access,
                                                       std::int64_t base, const LaneValues& offsets,
                                                       std::uint32_t lanes) const {
  struct Touch {
    std::uint64_t sector;
    std::uint64_t begin;
    int bytes;
    int lane;
  };
  std::vector<Touch> touches;
  const auto sector_bytes = static_cast<std::uint64_t>(sector_bytes_);
  for (int lane = 0; lane < kLanes; ++lane) {
    if (((lanes >> lane) & 1) == 0) continue;
    const std::int64_t offset =
        access.global_swizzle.apply(base + offsets[static_cast<std::size_t>(lane)]);
    auto begin = static_cast<std::uint64_t>(offset);
    const std::uint64_t end = begin + static_cast<std::uint64_t>(access.bytes_per_lane);
    while (begin < end) {
      const std::uint64_t sector = begin / sector_bytes;
      const std::uint64_t stop = std::min(end, (sector + 1) * sector_bytes);
      touches.push_back({sector, begin, static_cast<int>(stop - begin), lane});
      begin = stop;
    }
  }
  std::sort(touches.begin(), touches.end(), [](const Touch& a, const Touch& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.lane < b.lane;
  });
  const std::uint64_t sectors_per_line = static_cast<std::uint64_t>(line_bytes_) / sector_bytes;
  std::vector<LineSectors> lines;
  for (std::size_t i = 0; i < touches.size();) {
    const std::uint64_t sector = touches[i].sector;
    int bytes = 0;
    int covered = 0;                       // of the sector: lanes may overlap
    std::uint64_t end = touches[i].begin;  // of what they have covered
    int together = 0;                      // lanes with the same first byte
    int passes = 0;
    const std::size_t first = i;
    for (; i < touches.size() && touches[i].sector == sector; ++i) {
      const std::uint64_t begin = touches[i].begin;
      const std::uint64_t stop = begin + static_cast<std::uint64_t>(touches[i].bytes);
      bytes += touches[i].bytes;
      if (stop > end) covered += static_cast<int>(stop - std::max(begin, end));
      end = std::max(end, stop);
      together = i > first && begin == touches[i - 1].begin ? together + 1 : 1;
      passes = std::max(passes, together);
    }
    const std::uint64_t line = sector / sectors_per_line * static_cast<std::uint64_t>(line_bytes_);
    if (lines.empty() || lines.back().line != line) {
      const auto word = static_cast<std::uint8_t>((touches[first].begin - line) / 4);
      lines.push_back({line, 0, 0, 0, 0, 0, word});
    }
    const auto bit = static_cast<std::uint8_t>(1U << (sector % sectors_per_line));
    lines.back().sectors |= bit;
    if (covered < sector_bytes_) lines.back().partial |= bit;
    lines.back().bytes = static_cast<std::uint16_t>(lines.back().bytes + bytes);
    lines.back().lanes = static_cast<std::uint8_t>(lines.back().lanes + (i - first));
    lines.back().passes = static_cast<std::uint8_t>(lines.back().passes + passes);
  }
  return lines;
}

int AccessPatterns::global_lines(const DecodedAccess& access, std::int64_t base,
                                 const LaneValues& offsets, std::uint32_t lanes, isa::Effect effect,
                                 std::vector<LineSectors>& lines) const {
  const std::int64_t grain = period(access.global_swizzle, line_bytes_);
  const std::int64_t shift = base & (grain - 1);
  const auto origin = access.buffer_base + static_cast<std::uint64_t>(base - shift);
  const auto append = [&lines, origin](const GlobalPattern& pattern) {
    lines.clear();
    for (const LineSectors& line : pattern.lines) {
      lines.push_back(line);
      lines.back().line += origin - kMargin;
    }
    return pattern.wavefronts;
  };
  const auto compute = [&]() -> GlobalPattern {
    const int words = std::max(1, access.bytes_per_lane / bank_width_);
    const SharedPattern banks =
        count_wavefronts(access.global_swizzle, offsets, shift + kMargin, lanes, words,
                         lanes_at_once(words, effect == isa::Effect::kLoadGlobal, offsets, lanes),
                         /*is_atomic=*/false);
    return {compute_lines(access, shift + kMargin, offsets, lanes), banks.wavefronts};
  };
  const bool repeats =
      lanes == kAllLanes && access.id != isa::kNoIndex && access.global.quotients.empty();
  if (!repeats) return append(compute());
  return append(
      global_patterns_.find(static_cast<std::size_t>(access.id), key(shift, effect), compute));
}

AccessPatterns::SharedPattern AccessPatterns::compute_wavefronts(const DecodedAccess& access,
                                                                 std::int64_t base,
                                                                 const LaneValues& offsets,
                                                                 std::uint32_t lanes,
                                                                 isa::Effect effect) const {
  const int bytes = access.is_matrix ? isa::kMatrixRowBytes : access.bytes_per_lane;
  const int words = std::max(1, bytes / bank_width_);
  const int group = access.is_matrix ? isa::kMatrixRows
                                     : lanes_at_once(words, is_shared_load(effect), offsets, lanes);
  const int all = access.is_matrix ? access.matrices * isa::kMatrixRows : kLanes;
  return count_wavefronts(access.shared_swizzle, offsets, base,
                          lanes & static_cast<std::uint32_t>((std::uint64_t{1} << all) - 1), words,
                          group, isa::is_shared_atomic(effect));
}

/// Lanes are served in groups of `group`, each touching `words` words per lane. Equal words are
/// broadcast, except for atomics, whose lanes take turns.
AccessPatterns::SharedPattern AccessPatterns::count_wavefronts(const isa::Swizzle& swizzle,
                                                               const LaneValues& lane_offsets,
                                                               std::int64_t base,
                                                               std::uint32_t lanes, int words,
                                                               int group, bool is_atomic) const {
  SharedPattern pattern{0, 0};
  for (int first = 0; first < kLanes; first += group) {
    std::vector<std::int64_t> touched;
    for (int lane = first; lane < first + group; ++lane) {
      if (((lanes >> lane) & 1) == 0) continue;
      const std::int64_t offset =
          swizzle.apply(base + lane_offsets[static_cast<std::size_t>(lane)]);
      for (int word = 0; word < words; ++word) touched.push_back(offset / bank_width_ + word);
    }
    if (touched.empty()) continue;
    std::sort(touched.begin(), touched.end());
    if (!is_atomic) touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    std::vector<int> ways(static_cast<std::size_t>(banks_));
    for (const std::int64_t word : touched) ++ways[static_cast<std::size_t>(word % banks_)];
    pattern.wavefronts += *std::max_element(ways.begin(), ways.end());
    pattern.minimum += ceil_div(static_cast<int>(touched.size()), banks_);
  }
  return pattern;
}

int AccessPatterns::shared_wavefronts(const DecodedAccess& access, std::int64_t base,
                                      const LaneValues& offsets, std::uint32_t lanes,
                                      isa::Effect effect, int& minimum) const {
  const std::int64_t grain = period(access.shared_swizzle, std::int64_t{banks_} * bank_width_);
  const std::int64_t shift = base & (grain - 1);
  const auto compute = [&] {
    return compute_wavefronts(access, shift + kMargin, offsets, lanes, effect);
  };
  const bool repeats =
      lanes == kAllLanes && access.id != isa::kNoIndex && access.shared.quotients.empty();
  const SharedPattern pattern = repeats ? shared_patterns_.find(static_cast<std::size_t>(access.id),
                                                                key(shift, effect), compute)
                                        : compute();
  minimum = pattern.minimum;
  return pattern.wavefronts;
}

int AccessPatterns::wavefront_bytes(const DecodedAccess& access) const {
  constexpr int kLeastLaneBytes = 4;
  const int words = std::max(1, access.bytes_per_lane / bank_width_);
  const int taken = access.is_matrix
                        ? isa::kMatrixRows * isa::kMatrixRowBytes
                        : kLanes * std::max(access.bytes_per_lane, kLeastLaneBytes) / words;
  return std::min(taken, banks_ * bank_width_);
}

}  // namespace tcsim::sm
