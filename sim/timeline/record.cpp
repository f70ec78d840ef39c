#include "sim/timeline/record.hpp"

#include <algorithm>
#include <utility>

namespace tcsim::timeline {
namespace {

bool writes_result(const InstructionRecord& record) {
  const isa::OpcodeInfo& info = isa::opcode_info(record.opcode);
  return info.dst_registers > 0 || info.effect == isa::Effect::kCopyGlobalToShared;
}

}  // namespace

std::vector<StageSpan> stages_of(const InstructionRecord& record) {
  std::vector<StageSpan> spans;
  const auto add = [&spans](Stage stage, Cycle from, Cycle until) {
    if (until > from) spans.push_back({stage, from, until});
  };
  add(Stage::kWait, record.since, record.has_issued() ? record.issue : record.end);
  if (!record.has_issued()) return spans;
  Cycle at = record.issue + 1;
  add(Stage::kIssue, record.issue, at);
  if (record.entered != kNever) {
    add(Stage::kQueue, at, record.entered);
    at = std::max(at, record.entered);
  }
  if (record.end <= at || record.end == kNever) return spans;
  if (isa::is_group_mma(record.opcode)) {
    add(Stage::kExecute, at, record.interval_end);
    add(Stage::kWriteBack, record.interval_end, record.end);
    return spans;
  }
  // One cycle of execution is always drawn, then the write-back, then what is left of the reads.
  const Cycle write = writes_result(record) && record.end > at + 1 ? record.end - 1 : record.end;
  const Cycle read = std::clamp(record.operands_read, at, write - 1);
  add(Stage::kOperands, at, read);
  add(Stage::kExecute, read, write);
  add(Stage::kWriteBack, write, record.end);
  return spans;
}

std::string cause_text(const Wait& wait) {
  if (!wait.reason) return "another warp";
  if (wait.producer != kNoInstruction)
    return std::string(isa::opcode_info(wait.producer_opcode).mnemonic);
  return std::string(names_of(*wait.reason).words);
}

Names names_of(sm::CycleReason reason) {
  using enum sm::CycleReason;
  static constexpr std::array<std::pair<sm::CycleReason, Names>, 11> kNames{{
      {kDependenceFixed, {"stall count", "dep"}},
      {kDependenceShared, {"shared memory", "smem"}},
      {kDependenceGlobal, {"global memory", "gmem"}},
      {kCopyWait, {"copies", "copy"}},
      {kTensorPipeBusy, {"tensor core", "tc"}},
      {kOtherPipeBusy, {"pipe", "pipe"}},
      {kRegisterPort, {"register ports", "port"}},
      {kMemoryQueueFull, {"memory queue", "mq"}},
      {kBarrier, {"barrier", "bar"}},
      {kInstructionFetch, {"fetch", "ife"}},
      {kConstant, {"constants", "cst"}},
  }};
  for (const auto& [known, names] : kNames)
    if (known == reason) return names;
  return {"start", "start"};
}

Names unit_names(isa::Opcode opcode) {
  const isa::OpcodeInfo& info = isa::opcode_info(opcode);
  switch (info.pipe) {
    case isa::Pipe::kFma:
      return {"FMA", "fma"};
    case isa::Pipe::kAlu:
      return {"ALU", "alu"};
    case isa::Pipe::kHalf:
      return {"half", "half"};
    case isa::Pipe::kFp64:
      return {"FP64", "fp64"};
    case isa::Pipe::kSfu:
      return {"SFU", "sfu"};
    case isa::Pipe::kUniform:
      return {"uniform", "uni"};
    case isa::Pipe::kTensor:
    case isa::Pipe::kGroupTensor:
      return {"tensor core", "tc"};
    case isa::Pipe::kMemory:
      if (info.effect == isa::Effect::kLoadConstant) return {"constant memory", "gm"};
      if (isa::addresses_global(info.effect)) return {"global memory", "gm"};
      return {"shared memory", "sm"};
    default:
      return {isa::copies_tile(info.effect) ? "TMA" : "control", "ctl"};
  }
}

}  // namespace tcsim::timeline
