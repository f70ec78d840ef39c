#include "models/sm/constant_cache.hpp"

#include <algorithm>

namespace tcsim::sm {

ConstantCache::ConstantCache(const ConstantCacheParams& params,
                             const InstructionFetchParams& fetch_params, int sm, int sub_cores,
                             InstructionFetch& next, stats::Group& parent)
    : params_(params),
      lines_per_code_line_(static_cast<std::uint32_t>(
          params.l0_bytes == 0 ? 1 : std::max(1, fetch_params.line_bytes / params.line_bytes))),
      code_lines_per_piece_(static_cast<std::uint32_t>(
          params.l0_bytes == 0 ? 1 : std::max(1, params.fill_bytes / fetch_params.line_bytes))),
      next_(next),
      group_("constant_cache", parent),
      operand_misses_(group_, "constant_l0_misses", "line",
                      "Lines of constants that a sub-core's L0 did not hold for an operand."),
      load_misses_(group_, "constant_load_misses", "line",
                   "Lines of constants that the cache of LDC did not hold."),
      load_cache_(params.replacement,
                  CodeCacheSize::of(params.l0_bytes != 0, params.load_bytes, params.line_bytes,
                                    params.load_ways),
                  sm) {
  const auto l0_size =
      CodeCacheSize::of(params.l0_bytes != 0, params.l0_bytes, params.line_bytes, params.l0_ways);
  for (int i = 0; i < sub_cores; ++i)
    l0_.emplace_back(params.replacement, l0_size, sm * sub_cores + i);
}

Cycle ConstantCache::operand(int sub_core, std::int64_t offset, Cycle now) {
  return look_up(l0_[static_cast<std::size_t>(sub_core)], operand_misses_, offset, now);
}

Cycle ConstantCache::load(std::int64_t offset, Cycle now) {
  return look_up(load_cache_, load_misses_, offset, now);
}

Cycle ConstantCache::look_up(CodeCache& cache, stats::Counter& misses, std::int64_t offset,
                             Cycle now) {
  const std::uint32_t line = line_of(offset);
  if (const CodeCache::Line* const held = cache.find(line))
    return held->ready == kNever ? kNever : std::max(held->ready, now);
  misses.add();
  const std::uint32_t code_line = line / lines_per_code_line_;
  const Cycle ready = next_.read(code_line, now, params_.miss_latency_cycles);
  cache.insert(line, ready);
  if (ready == kNever) fetch_piece(code_line, now);
  return ready;
}

/// Requests the remaining lines of the piece that contains `code_line`, which is already in flight.
void ConstantCache::fetch_piece(std::uint32_t code_line, Cycle now) {
  const std::uint32_t first = code_line / code_lines_per_piece_ * code_lines_per_piece_;
  for (std::uint32_t other = first; other < first + code_lines_per_piece_; ++other)
    if (other != code_line) next_.read(other, now, params_.miss_latency_cycles);
}

void ConstantCache::drop(std::uint32_t line) {
  const std::uint32_t first = line * lines_per_code_line_;
  for (std::uint32_t part = first; part < first + lines_per_code_line_; ++part) {
    for (CodeCache& cache : l0_) cache.drop(part);
    load_cache_.drop(part);
  }
}

void ConstantCache::receive(std::uint32_t line, Cycle now) {
  const Cycle ready = arrival(now);
  const std::uint32_t first = line * lines_per_code_line_;
  const auto fill = [&](CodeCache& cache) {
    for (std::uint32_t part = first; part < first + lines_per_code_line_; ++part)
      cache.fill(part, ready);
  };
  for (CodeCache& cache : l0_) fill(cache);
  fill(load_cache_);
}

}  // namespace tcsim::sm
