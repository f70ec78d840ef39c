#include "sim/timeline/record.hpp"

#include <algorithm>

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
  const bool is_memory = isa::is_memory(record.opcode);
  if (is_memory && record.entered != kNever) {
    add(Stage::kQueue, at, record.entered);
    at = std::max(at, record.entered);
  }
  if (record.end <= at || record.end == kNever) return spans;
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
  switch (*wait.reason) {
    case sm::CycleReason::kDependenceFixed:
      return "stall count";
    case sm::CycleReason::kDependenceShared:
      return "shared memory";
    case sm::CycleReason::kDependenceGlobal:
      return "global memory";
    case sm::CycleReason::kCopyWait:
      return "copies";
    case sm::CycleReason::kTensorPipeBusy:
      return "tensor core";
    case sm::CycleReason::kOtherPipeBusy:
      return "pipe";
    case sm::CycleReason::kRegisterPort:
      return "register ports";
    case sm::CycleReason::kMemoryQueueFull:
      return "memory queue";
    case sm::CycleReason::kBarrier:
      return "barrier";
    case sm::CycleReason::kInstructionFetch:
      return "fetch";
    case sm::CycleReason::kConstant:
      return "constants";
    default:
      return "start";
  }
}

std::string unit_name(isa::Opcode opcode) {
  const isa::OpcodeInfo& info = isa::opcode_info(opcode);
  switch (info.pipe) {
    case isa::Pipe::kFma:
      return "FMA";
    case isa::Pipe::kAlu:
      return "ALU";
    case isa::Pipe::kHalf:
      return "half";
    case isa::Pipe::kFp64:
      return "FP64";
    case isa::Pipe::kSfu:
      return "SFU";
    case isa::Pipe::kUniform:
      return "uniform";
    case isa::Pipe::kTensor:
    case isa::Pipe::kGroupTensor:
      return "tensor core";
    case isa::Pipe::kMemory:
      if (info.effect == isa::Effect::kLoadConstant) return "constant memory";
      return isa::addresses_global(info.effect) ? "global memory" : "shared memory";
    default:
      return isa::copies_tile(info.effect) ? "TMA" : "control";
  }
}

}  // namespace tcsim::timeline
