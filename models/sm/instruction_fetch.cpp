#include "models/sm/instruction_fetch.hpp"

#include <algorithm>

#include "models/sm/load_store/answer_tag.hpp"

namespace tcsim::sm {

FetchCounters::FetchCounters(stats::Group& group)
    : l0_misses(group, "instruction_l0_misses", "line",
                "Lines of code that a sub-core's L0 did not hold."),
      stream_hits(group, "instruction_stream_hits", "line",
                  "Of these, lines that its stream buffer held or had asked for."),
      l1_misses(group, "instruction_l1_misses", "line",
                "Lines of code and constants that the SM's instruction L1 asked the L2 for.") {}

InstructionFetch::InstructionFetch(const SmParams& params, int sm, stats::Group& parent)
    : params_(params.instruction_fetch),
      sm_(static_cast<std::uint16_t>(sm)),
      sectors_(
          static_cast<std::uint8_t>((1U << (params_.line_bytes / params.l1.sector_bytes)) - 1)),
      group_("instruction_fetch", parent),
      counters_(group_),
      l1_(params_.replacement,
          CodeCacheSize::of(!is_perfect(), params_.l1_bytes, params_.line_bytes, params_.l1_ways),
          sm) {
  const auto l0_size =
      CodeCacheSize::of(!is_perfect(), params_.l0_bytes, params_.line_bytes, params_.l0_ways);
  for (int i = 0; i < params.sub_cores; ++i)
    fronts_.push_back({CodeCache(params_.replacement, l0_size, sm * params.sub_cores + i), {}});
}

void InstructionFetch::begin_kernel(std::uint32_t end) {
  code_end_ = end;
  if (is_perfect() || params_.at_launch != "emptied") return;
  l1_.clear();
  for (Front& front : fronts_) {
    front.l0.clear();
    front.stream = {};
  }
}

void InstructionFetch::install(std::uint32_t line) {
  if (l1_.find(line) == nullptr) l1_.insert(line, 0);
}

Cycle InstructionFetch::need(int sub_core, std::uint32_t line, Cycle now) {
  Front& front = fronts_[static_cast<std::size_t>(sub_core)];
  if (const CodeCache::Line* const held = front.l0.find(line)) return held->ready;
  counters_.l0_misses.add();
  const Cycle ready = from_stream_or_l1(front, line, now);
  front.l0.insert(line, ready);
  run_ahead(front.stream, now);
  return ready;
}

/// Takes `line` and all lines before it out of the stream buffer. A line that is not in the buffer
/// restarts it.
Cycle InstructionFetch::from_stream_or_l1(Front& front, std::uint32_t line, Cycle now) {
  StreamBuffer& stream = front.stream;
  const std::uint32_t place = line - stream.first;
  stream.first = line + 1;
  if (place >= stream.ready.size()) {
    stream.ready.clear();
    return from_l1(line, now);
  }
  counters_.stream_hits.add();
  const Cycle ready = stream.ready[place];
  stream.ready.erase(stream.ready.begin(), stream.ready.begin() + place + 1);
  return ready == kNever ? kNever : std::max(ready, now);
}

void InstructionFetch::run_ahead(StreamBuffer& stream, Cycle now) {
  while (static_cast<int>(stream.ready.size()) < params_.prefetch_lines) {
    const auto line = stream.first + static_cast<std::uint32_t>(stream.ready.size());
    if (line >= code_end_) return;
    stream.ready.push_back(from_l1(line, now));
  }
}

Cycle InstructionFetch::read(std::uint32_t line, Cycle now, int latency) {
  const Cycle start = std::max(now, l1_free_);
  l1_free_ = start + params_.l1_interval_cycles;
  if (const CodeCache::Line* const held = l1_.find(line))
    return held->ready == kNever ? kNever : start + latency;
  counters_.l1_misses.add();
  l1_.insert(line, kNever);
  memory::LineRequest& request = requests_.emplace_back();
  request.cycle = start + params_.l1_hit_latency_cycles / 2;
  request.address = memory::kCodeMemory + line * static_cast<std::uint64_t>(params_.line_bytes);
  request.tag = AnswerTag{AnswerKind::kCode, line}.encoded();
  request.sm = sm_;
  request.sectors = sectors_;
  return kNever;
}

void InstructionFetch::receive(std::uint32_t line, Cycle now) {
  const Cycle ready = arrival(now);
  if (CodeCache::Line* const held = l1_.find(line)) held->ready = now;
  for (Front& front : fronts_) {
    CodeCache::Line* const held = front.l0.find(line);
    if (held != nullptr && held->ready == kNever) held->ready = ready;
    const std::uint32_t place = line - front.stream.first;
    if (place < front.stream.ready.size() && front.stream.ready[place] == kNever)
      front.stream.ready[place] = ready;
  }
}

void InstructionFetch::deliver(int sub_core, std::uint32_t line, Cycle now) {
  CodeCache& l0 = fronts_[static_cast<std::size_t>(sub_core)].l0;
  if (l0.find(line) == nullptr) l0.insert(line, arrival(now));
}

}  // namespace tcsim::sm
