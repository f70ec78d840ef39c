#include "sim/timeline/text_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tcsim::timeline {
namespace {

constexpr std::string_view kHolds = "tensor core holds an MMA";  ///< the longest summary
constexpr std::size_t kWarpWidth = std::string_view("warp  ").size();
constexpr int kTick = 10;  ///< cycles between two numbers of the ruler

char letter_of(Stage stage, isa::Opcode opcode) {
  switch (stage) {
    case Stage::kWait:
      return '.';
    case Stage::kIssue:
      return 'I';
    case Stage::kQueue:
      return 'q';
    case Stage::kOperands:
      return 'o';
    case Stage::kExecute:
      return uses_tensor_core(opcode) ? 'M' : 'X';
    default:
      return 'w';
  }
}

std::string grouped(Cycle value) {
  std::string text = std::to_string(value);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3)
    text.insert(static_cast<std::size_t>(at), ",");
  return text;
}

/// Columns of one sub-core's table.
class Columns {
 public:
  explicit Columns(const Window& window)
      : first_(window.first), width_(static_cast<std::size_t>(window.end - window.first)) {}

  [[nodiscard]] std::string empty(char fill) const { return std::string(width_, fill); }
  /// Marks cycles [from, until) as far as they lie in the window.
  void mark(std::string& row, Cycle from, Cycle until, char letter) const {
    const Cycle end = first_ + static_cast<Cycle>(width_);
    for (Cycle at = std::max(from, first_); at < std::min(until, end); ++at)
      row[static_cast<std::size_t>(at - first_)] = letter;
  }
  [[nodiscard]] std::string ruler() const {
    std::string row;
    for (std::size_t at = 0; at < width_;) {
      const std::string number = grouped(first_ + static_cast<Cycle>(at));
      const bool fits = row.size() <= at && at + number.size() <= width_;
      if (fits && (first_ + static_cast<Cycle>(at)) % kTick == 0) {
        row += std::string(at - row.size(), ' ') + number + ' ';
      }
      ++at;
    }
    row.resize(width_, ' ');
    return row;
  }

 private:
  Cycle first_;
  std::size_t width_;
};

std::string stages_row(const InstructionRecord& record, const Columns& columns) {
  std::string row = columns.empty('-');
  for (const StageSpan& span : stages_of(record))
    columns.mark(row, span.from, span.until, letter_of(span.stage, record.opcode));
  if (record.end == kNever) {
    const Stage last = uses_tensor_core(record.opcode) ? Stage::kQueue : Stage::kExecute;
    columns.mark(row, record.issue + 1, kNever, letter_of(last, record.opcode));
  }
  return row;
}

std::string waits_text(const InstructionRecord& record) {
  std::string text;
  for (const Wait& wait : record.waits) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", cause_text(wait),
                        wait.until - wait.from);
  }
  return text;
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string summary_row(std::string_view name, std::size_t label_width, const std::string& row) {
  const auto busy = std::ranges::count(row, '#');
  return fmt::format("{:<{}}  {}  {} of {}\n", name, label_width + kWarpWidth, row, busy,
                     row.size());
}

std::string sub_core_text(const Timeline& timeline, int sub_core) {
  const Columns columns(timeline.window);
  std::vector<const InstructionRecord*> records;
  std::size_t label_width = kHolds.size() - kWarpWidth;
  for (const InstructionRecord& record : timeline.records) {
    if (record.sub_core != sub_core) continue;
    records.push_back(&record);
    label_width = std::max(label_width, record.text.size());
  }
  std::string text = fmt::format("SM {}, sub-core {}, cycles {}-{}\n", timeline.window.sm, sub_core,
                                 grouped(timeline.window.first), grouped(timeline.window.end - 1));
  text += trimmed(
      fmt::format("warp  {:<{}}  {}  waits for", "instruction", label_width, columns.ruler()));
  std::string issue = columns.empty('.');
  std::string tensor = columns.empty('.');
  std::string accepts = columns.empty('.');
  for (const InstructionRecord* record : records) {
    text += trimmed(fmt::format("{:>4}  {:<{}}  {}  {}", record->warp, record->text, label_width,
                                stages_row(*record, columns), waits_text(*record)));
    if (!record->has_issued()) continue;
    columns.mark(issue, record->issue, record->issue + 1, '#');
    if (!uses_tensor_core(record->opcode)) continue;
    columns.mark(tensor, record->held_from(), record->held_until(), '#');
    columns.mark(accepts, record->held_from(), record->interval_end, '#');
  }
  if (records.empty()) text += "      no warp has an instruction here\n";
  text += summary_row("issue slot used", label_width, issue);
  text += summary_row(kHolds, label_width, tensor);
  text += summary_row("tensor core multiplies", label_width, accepts);
  return text;
}

}  // namespace

std::string text_view(const Timeline& timeline) {
  std::string text = fmt::format("{}    machine {}\n", timeline.title, timeline.machine);
  text +=
      "I issue  o operands read  q queue  M tensor core  X other unit or memory  "
      "w write-back  . waiting  - not there\n"
      "Each row is one warp instruction from when it is its warp's next until its results are "
      "written;\n\"waits for\" breaks its dots down by reason, with cycles.\n";
  for (int sub_core = 0; sub_core < timeline.sub_cores; ++sub_core) {
    if (timeline.window.sub_core && *timeline.window.sub_core != sub_core) continue;
    text += "\n" + sub_core_text(timeline, sub_core);
  }
  return text;
}

}  // namespace tcsim::timeline
