#include "sim/timeline/kanata.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tcsim::timeline {
namespace {

/// A line of the file, due at `cycle`; ties go by `order`, which keeps each instruction's lines in
/// sequence and ends in front of starts.
struct Event {
  Cycle cycle;
  int order;
  std::string line;
};

enum Order : int { kEnds, kBegins, kStarts, kRetires };

std::string execute_name(isa::Opcode opcode) { return std::string(unit_names(opcode).brief) + "X"; }

std::string stage_name(Stage stage, isa::Opcode opcode) {
  switch (stage) {
    case Stage::kWait:
      return "Hd";  // head of its warp
    case Stage::kIssue:
      return "Is";
    case Stage::kQueue:
      return uses_tensor_core(opcode) ? "Tq" : "Mq";
    case Stage::kOperands:
      return "Op";
    case Stage::kExecute:
      return execute_name(opcode);
    default:
      return "Wb";
  }
}

/// A stage name for lane 1.
std::string stall_name(const Wait& wait) {
  return std::string(wait.reason ? names_of(*wait.reason).brief : "oth");
}

std::string detail_of(const InstructionRecord& record) {
  std::string text =
      fmt::format("CTA {},{},{} warp {}; instruction {}", record.cta[0], record.cta[1],
                  record.cta[2], record.warp_of_cta, record.instruction);
  for (const Wait& wait : record.waits)
    text += fmt::format("; {} cycles for {}", wait.until - wait.from, cause_text(wait));
  return text;
}

void add_span(std::vector<Event>& events, std::int64_t id, int lane, const std::string& name,
              Cycle from, Cycle until) {
  events.push_back({from, kStarts, fmt::format("S\t{}\t{}\t{}\n", id, lane, name)});
  events.push_back({until, kEnds, fmt::format("E\t{}\t{}\t{}\n", id, lane, name)});
}

/// `number` is the instruction's in the file: instructions are numbered as they appear.
void add_instruction(std::vector<Event>& events, const InstructionRecord& record,
                     std::int64_t number, const std::vector<std::int64_t>& numbers) {
  std::string begin = fmt::format("I\t{}\t{}\t{}\n", number, record.id, record.warp);
  begin += fmt::format("L\t{}\t0\t{} w{}: {}\n", number, record.sub_core, record.warp, record.text);
  begin += fmt::format("L\t{}\t1\t{}\n", number, detail_of(record));
  events.push_back({record.since, kBegins, begin});
  const std::vector<StageSpan> spans = stages_of(record);
  for (const StageSpan& span : spans)
    add_span(events, number, 0, stage_name(span.stage, record.opcode), span.from, span.until);
  for (const Wait& wait : record.waits)
    add_span(events, number, 1, stall_name(wait), wait.from, wait.until);
  for (const std::int64_t producer : record.producers) {
    const std::int64_t from = numbers[static_cast<std::size_t>(producer)];
    events.push_back({record.issue, kStarts, fmt::format("W\t{}\t{}\t0\n", number, from)});
  }
  const Cycle end = spans.back().until;
  const int flushed = record.has_issued() ? 0 : 1;
  events.push_back({end, kRetires, fmt::format("R\t{}\t{}\t{}\n", number, number, flushed)});
}

}  // namespace

std::string kanata_text(const Timeline& timeline) {
  std::vector<const InstructionRecord*> in_order;
  for (const InstructionRecord& record : timeline.records) in_order.push_back(&record);
  std::ranges::stable_sort(in_order, {}, &InstructionRecord::since);
  std::vector<std::int64_t> numbers(in_order.size());
  for (std::size_t i = 0; i < in_order.size(); ++i)
    numbers[static_cast<std::size_t>(in_order[i]->id)] = static_cast<std::int64_t>(i);
  std::vector<Event> events;
  for (std::size_t i = 0; i < in_order.size(); ++i)
    add_instruction(events, *in_order[i], static_cast<std::int64_t>(i), numbers);
  std::ranges::stable_sort(events, [](const Event& a, const Event& b) {
    return a.cycle != b.cycle ? a.cycle < b.cycle : a.order < b.order;
  });
  std::string text = "Kanata\t0004\n";
  Cycle now = events.empty() ? timeline.window.first : events.front().cycle;
  text += fmt::format("C=\t{}\n", now);
  for (const Event& event : events) {
    if (event.cycle != now) text += fmt::format("C\t{}\n", event.cycle - now);
    now = event.cycle;
    text += event.line;
  }
  return text;
}

std::size_t kanata_bytes(const Timeline& timeline) {
  constexpr std::size_t kPerInstruction = 260;  // measured on GEMMs; labels make the difference
  return kPerInstruction * timeline.records.size();
}

}  // namespace tcsim::timeline
