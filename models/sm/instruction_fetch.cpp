#include "models/sm/instruction_fetch.hpp"

#include <algorithm>

namespace tcsim::sm {
namespace {

/// Where instructions are always there, caches of one line stand for none.
CodeCacheSize size_of(int bytes, int ways, const InstructionFetchParams& params) {
  if (params.l0_bytes == 0) return {1, 1, 1};
  return {bytes, params.line_bytes, ways};
}

}  // namespace

FetchCounters::FetchCounters(stats::Group& group)
    : l0_misses(group, "instruction_l0_misses", "line",
                "Lines of code that a sub-core's L0 did not hold."),
      stream_hits(group, "instruction_stream_hits", "line",
                  "Of these, lines that its stream buffer held or had asked for."),
      l1_misses(group, "instruction_l1_misses", "line",
                "Lines of code and constants that the SM's instruction L1 asked the L2 for.") {}

InstructionFetch::InstructionFetch(const InstructionFetchParams& params, int sm, int sub_cores,
                                   stats::Group& parent)
    : params_(params),
      group_("instruction_fetch", parent),
      counters_(group_),
      l1_(params.replacement, size_of(params.l1_bytes, params.l1_ways, params), sm) {
  for (int i = 0; i < sub_cores; ++i)
    fronts_.push_back(
        {CodeCache(params.replacement, size_of(params.l0_bytes, params.l0_ways, params),
                   sm * sub_cores + i),
         {}});
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

/// Takes `line` and what lies before it out of the stream buffer; a line that is not in it starts
/// it anew.
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
  requests_.push_back({start + params_.l1_hit_latency_cycles / 2, line});
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
