#include "sim/gpu/deadlock.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <variant>

#include "models/isa/group_mma.hpp"
#include "models/isa/opcode.hpp"
#include "models/isa/program.hpp"
#include "models/isa/value_range.hpp"

namespace tcsim::gpu {
namespace {

using sm::WaitKind;
using sm::WarpWait;

constexpr std::size_t kMostLines = 16;

bool is_silent(const SmShell& shell) {
  return shell.commands.empty() && shell.responses.empty() && shell.requests.empty() &&
         shell.ended_ctas.empty() && shell.messages.empty();
}

/// True if `wait` ends only by what another warp does.
bool is_hopeless(const WarpWait& wait, const memory::MemorySystem& memory) {
  switch (wait.kind) {
    case WaitKind::kBarrier:
    case WaitKind::kPhase:
    case WaitKind::kGroup:
    case WaitKind::kCluster:
    case WaitKind::kUnreachable:
    case WaitKind::kNumber:
      return true;
    default:
      return wait.flag && wait.flag->seen_less &&
             memory.flag(wait.flag->address) < wait.flag->until;
  }
}

bool nothing_is_under_way(const ChipState& chip) {
  return chip.memory.is_quiet() &&
         std::ranges::all_of(chip.shells, [](const auto& shell) { return is_silent(*shell); }) &&
         std::ranges::all_of(chip.sms, [](const auto& sm) {
           return sm->next_event() == kNever && !sm->has_requests();
         });
}

bool all_are_hopeless(const ChipState& chip) {
  bool any = false;
  for (std::size_t i = 0; i < chip.sms.size(); ++i) {
    const sm::Sm& sm = *chip.sms[i];
    const SmShell& shell = *chip.shells[i];
    if (sm.has_pending_ctas() || sm.has_more_than_loads_under_way() || !shell.commands.empty() ||
        !shell.messages.empty())
      return false;
    for (const WarpWait& wait : sm.waits()) {
      if (!is_hopeless(wait, chip.memory)) return false;
      any = true;
    }
  }
  return any && chip.memory.flags_rise();
}

/// "RED.E.ADD at 0x0040 of main".
std::string place_text(const isa::WarpProgram& program, int instruction) {
  const isa::Instruction& placed = program.instructions[static_cast<std::size_t>(instruction)];
  return fmt::format("{} at {} of {}", isa::opcode_info(placed.opcode).mnemonic,
                     isa::address_text(instruction), program.name);
}

const char* plural(int count) { return count == 1 ? "" : "s"; }

/// "warp 3", "warps 0-3, 8".
std::string warps_text(const std::vector<int>& warps) {
  std::string text = warps.size() == 1 ? "warp " : "warps ";
  for (std::size_t first = 0; first < warps.size();) {
    std::size_t last = first;
    while (last + 1 < warps.size() && warps[last + 1] == warps[last] + 1) ++last;
    if (first > 0) text += ", ";
    text += std::to_string(warps[first]);
    if (last > first) text += fmt::format("-{}", warps[last]);
    first = last + 1;
  }
  return text;
}

/// Warps of one CTA that wait for the same thing.
struct Group {
  WarpWait wait;
  int program = 0;
  std::vector<int> warps{};
};

bool is_alike(const WarpWait& a, const WarpWait& b) {
  const bool same_flag =
      a.flag.has_value() == b.flag.has_value() &&
      (!a.flag || (a.flag->address == b.flag->address && a.flag->until == b.flag->until));
  const bool same_place = a.flag ? true : a.instruction == b.instruction;
  const auto address = [](const WarpWait& wait) {
    return wait.mbarrier ? wait.mbarrier->address : -1;
  };
  return a.cta == b.cta && a.kind == b.kind && address(a) == address(b) && a.parity == b.parity &&
         a.counters == b.counters && same_flag && same_place;
}

std::vector<Group> grouped(const sm::Sm& sm) {
  std::vector<Group> groups;
  const std::vector<int>& programs = sm.kernel()->launch().program_of_warp;
  for (const WarpWait& wait : sm.waits()) {
    const int program = programs[static_cast<std::size_t>(wait.warp)];
    const auto found = std::ranges::find_if(groups, [&](const Group& group) {
      return group.program == program && is_alike(group.wait, wait);
    });
    Group& group = found == groups.end() ? groups.emplace_back(Group{wait, program}) : *found;
    group.warps.push_back(wait.warp);
  }
  for (Group& group : groups) std::ranges::sort(group.warps);
  return groups;
}

/// The warps of the CTA of `group` that have not exited and for which `test` is true.
template <typename Test>
std::vector<int> others_of_cta(const Group& group, const std::vector<Group>& all,
                               const Test& test) {
  std::vector<int> others;
  for (const Group& other : all)
    if (other.wait.cta == group.wait.cta && other.wait.kind != WaitKind::kExit && test(other.wait))
      others.insert(others.end(), other.warps.begin(), other.warps.end());
  std::ranges::sort(others);
  return others;
}

std::string barrier_text(const Group& group, const std::vector<Group>& all) {
  const std::vector<int> missing = others_of_cta(
      group, all, [&](const WarpWait& other) { return other.barrier != group.wait.barrier; });
  std::string barrier = fmt::format("barrier {}", group.wait.barrier);
  if (group.wait.barrier_expects > 0)
    barrier += fmt::format(", which lacks {} of {} warps", group.wait.barrier_lacks,
                           group.wait.barrier_expects);
  return missing.empty() ? barrier : fmt::format("{} at {}", warps_text(missing), barrier);
}

/// "the other warps of their warpgroup, of which warp 3 has exited".
std::string warpgroup_text(const Group& group, const std::vector<Group>& all) {
  std::set<int> exited;
  for (const int warp : group.warps)
    for (int i = 0; i < isa::kGroupWarps; ++i)
      exited.insert(warp / isa::kGroupWarps * isa::kGroupWarps + i);
  for (const Group& other : all)
    if (other.wait.cta == group.wait.cta && other.wait.kind != WaitKind::kExit)
      for (const int warp : other.warps) exited.erase(warp);
  std::string others = "the other warps of their warpgroup";
  if (exited.empty()) return others;
  return fmt::format("{}, of which {} {} exited", others,
                     warps_text({exited.begin(), exited.end()}),
                     exited.size() == 1 ? "has" : "have");
}

std::string cluster_text(const Group& group, const std::vector<Group>& all) {
  const std::vector<int> missing = others_of_cta(group, all, [&](const WarpWait& other) {
    return other.cluster_arrivals < group.wait.cluster_arrivals;
  });
  return missing.empty() ? "the other CTAs of their cluster"
                         : fmt::format("{} at the barrier of the cluster", warps_text(missing));
}

/// The instructions of the kernel that could raise a flag of `buffer`.
std::string raisers(const isa::KernelLaunch& launch, int buffer) {
  std::vector<std::string> found;
  for (const isa::WarpProgram& program : launch.programs) {
    for (std::size_t i = 0; i < program.instructions.size(); ++i) {
      const isa::Instruction& instruction = program.instructions[i];
      const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
      const bool adds =
          info.effect == isa::Effect::kReduceGlobal || info.effect == isa::Effect::kAtomicGlobal;
      if (!adds || program.accesses[static_cast<std::size_t>(instruction.access)].buffer != buffer)
        continue;
      found.push_back(place_text(program, static_cast<int>(i)));
    }
  }
  if (found.empty()) return "no instruction of the kernel raises it";
  return fmt::format("{} would raise it, but none is under way", fmt::join(found, " or "));
}

std::string flag_text(const sm::FlagWait& flag, const isa::KernelLaunch& launch,
                      const memory::MemorySystem& memory) {
  const auto buffer = std::ranges::find_if(launch.buffers, [&](const isa::Buffer& candidate) {
    return flag.address >= candidate.base_address &&
           flag.address < candidate.base_address + candidate.bytes;
  });
  std::string name = fmt::format("the flag at address {:#x}", flag.address);
  std::string who = "nothing that raises it is under way";
  if (buffer != launch.buffers.end()) {
    name = fmt::format("word {} of {}", (flag.address - buffer->base_address) / 4, buffer->name);
    who = raisers(launch, static_cast<int>(buffer - launch.buffers.begin()));
  }
  return fmt::format("{} to reach {}; it is {}, and {}", name, flag.until,
                     memory.flag(flag.address), who);
}

/// The counters of `wait` and, for each, the earlier instruction that increments it.
std::string results_text(const WarpWait& wait, const isa::WarpProgram& program) {
  std::vector<std::string> found;
  for (int counter = 0; counter < isa::kDependenceCounters; ++counter) {
    if ((wait.counters >> counter & 1) == 0) continue;
    std::string text = fmt::format("SB{}", counter);
    for (int i = wait.instruction - 1; i >= 0; --i) {
      const isa::Instruction& before = program.instructions[static_cast<std::size_t>(i)];
      if (before.control.write_counter != counter && before.control.read_counter != counter)
        continue;
      text += fmt::format(" ({} at {})", isa::opcode_info(before.opcode).mnemonic,
                          isa::address_text(i));
      break;
    }
    found.push_back(text);
  }
  if (found.empty()) return "a register that is not written";
  return fmt::format("{}", fmt::join(found, " and "));
}

/// "2 arrivals and 16 bytes", without what is 0.
std::string amounts_text(int arrivals, std::int64_t bytes) {
  std::vector<std::string> amounts;
  if (arrivals > 0) amounts.push_back(fmt::format("{} arrival{}", arrivals, plural(arrivals)));
  if (bytes > 0) amounts.push_back(fmt::format("{} bytes", bytes));
  return fmt::format("{}", fmt::join(amounts, " and "));
}

/// What the current phase of `barrier` has too few or too many of.
std::string missing_text(const sm::Mbarrier& barrier) {
  std::vector<std::string> found;
  const int extra = -barrier.pending;
  if (barrier.pending > 0)
    found.push_back(fmt::format("lacks {} of {} arrivals", barrier.pending, barrier.expected));
  if (extra > 0)
    found.push_back(fmt::format("received {} arrival{} more than the {} it expects", extra,
                                plural(extra), barrier.expected));
  if (barrier.bytes > 0)
    found.push_back(fmt::format("{}{} bytes", barrier.pending > 0 ? "" : "lacks ", barrier.bytes));
  if (barrier.bytes < 0)
    found.push_back(fmt::format("received {} bytes more than it expects", -barrier.bytes));
  return fmt::format("{}{}", fmt::join(found, " and "),
                     barrier.pending == 0 ? "; all arrivals are there" : "");
}

/// True if `instruction` of `program` may bring what the phase of `barrier` lacks: arrivals, and
/// bytes once all arrivals are there.
bool may_complete(const isa::Instruction& instruction, const isa::WarpProgram& program,
                  const sm::Mbarrier& barrier) {
  const isa::Effect effect = isa::opcode_info(instruction.opcode).effect;
  const auto operands = [&]() -> const isa::AsyncOperands& {
    return program.async[static_cast<std::size_t>(instruction.access)];
  };
  if (barrier.pending > 0)
    return isa::arrives(effect) &&
           isa::may_be(std::get<isa::BarrierOperand>(operands()).address, barrier.address);
  return barrier.bytes > 0 && isa::brings_bytes(effect) &&
         isa::may_be(std::get<isa::TileOperand>(operands()).barrier, barrier.address);
}

/// "; UTMALDG.2D at 0x0040 of main would complete it": the instructions of the kernel that bring
/// what the phase of `barrier` lacks, as far as its text tells.
std::string completing_text(const sm::Mbarrier& barrier, const isa::KernelLaunch& launch) {
  constexpr std::size_t kMost = 6;
  const bool lacks_something = barrier.pending > 0 || (barrier.pending == 0 && barrier.bytes > 0);
  if (!lacks_something || launch.recording != nullptr) return {};
  std::vector<std::string> found;
  for (const isa::WarpProgram& program : launch.programs)
    for (std::size_t i = 0; i < program.instructions.size(); ++i)
      if (may_complete(program.instructions[i], program, barrier))
        found.push_back(place_text(program, static_cast<int>(i)));
  if (found.empty())
    return barrier.pending > 0 ? "; no instruction of the kernel arrives there"
                               : "; no instruction of the kernel brings bytes there";
  const std::size_t more = found.size() - std::min(found.size(), kMost);
  found.resize(found.size() - more);
  if (more > 0) found.push_back(fmt::format("{} more", more));
  return fmt::format("; {} would complete it", fmt::join(found, " or "));
}

std::string phase_text(const WarpWait& wait, const isa::KernelLaunch& launch) {
  const sm::Mbarrier& barrier = *wait.mbarrier;
  std::string text = fmt::format("phase {} (parity {}) of the mbarrier at shared byte {}, which ",
                                 barrier.phase, wait.parity, barrier.address);
  const std::string early = amounts_text(barrier.early_arrivals, barrier.early_bytes);
  if (!barrier.is_initialised())
    text += "no SYNCS.EXCH.64 has initialised";
  else if (!early.empty())
    text +=
        fmt::format("{}; it received {} before it was initialised", missing_text(barrier), early);
  else
    text += missing_text(barrier) + completing_text(barrier, launch);
  if (!wait.stray || wait.stray->address == barrier.address) return text;
  const sm::Mbarrier& stray = *wait.stray;
  return text + fmt::format("; {} came to shared byte {}, where there is no mbarrier",
                            amounts_text(stray.expected - stray.pending, -stray.bytes),
                            stray.address);
}

std::string reason(const Group& group, const std::vector<Group>& all,
                   const isa::KernelLaunch& launch, const memory::MemorySystem& memory) {
  switch (group.wait.kind) {
    case WaitKind::kBarrier:
      return barrier_text(group, all);
    case WaitKind::kFlag:
      return flag_text(*group.wait.flag, launch, memory);
    case WaitKind::kCode:
      return "their code from the L2";
    case WaitKind::kConstant:
      return "a constant from the L2";
    case WaitKind::kWrites:
      return "answers to stores and atomics of the CTA";
    case WaitKind::kResults:
      return results_text(group.wait, launch.programs[static_cast<std::size_t>(group.program)]);
    case WaitKind::kCopies:
      return "copies into shared memory";
    case WaitKind::kPhase:
      return phase_text(group.wait, launch);
    case WaitKind::kGroup:
      return warpgroup_text(group, all);
    case WaitKind::kCluster:
      return cluster_text(group, all);
    case WaitKind::kUnreachable:
      return fmt::format("shared memory of rank {}, which is not in their cluster or has ended",
                         group.wait.rank);
    case WaitKind::kProducts:
      return "products of their warpgroup";
    case WaitKind::kNumber:
      return "the number of their next iteration, which an ATOMG.E.ADD of a flag would bring";
    case WaitKind::kExit:
      return "loads and copies under way, having exited";
    case WaitKind::kNothing:
      break;
  }
  return "nothing: it can issue";
}

std::string line_of(std::size_t sm, const Group& group, const std::vector<Group>& all,
                    const isa::KernelLaunch& launch, const memory::MemorySystem& memory) {
  const WarpWait& wait = group.wait;
  const std::string where =
      wait.flag ? fmt::format("in the loop {} to {}", isa::address_text(wait.flag->first),
                              isa::address_text(wait.flag->last))
                : fmt::format("at {} ({})", isa::address_text(wait.instruction),
                              isa::opcode_info(wait.opcode).mnemonic);
  return fmt::format("sm[{}] CTA ({}, {}, {}) {} {} {} for {}", sm, wait.cta[0], wait.cta[1],
                     wait.cta[2], warps_text(group.warps), where,
                     group.warps.size() == 1 ? "waits" : "wait",
                     reason(group, all, launch, memory));
}

std::string line_of(const CtaScheduler::Unplaced& unplaced) {
  const std::string ctas =
      unplaced.first == unplaced.last
          ? fmt::format("CTA {} of {} waits", unplaced.first, unplaced.kernel)
          : fmt::format("CTAs {} to {} of {} wait", unplaced.first, unplaced.last, unplaced.kernel);
  return fmt::format("{} for a place: an SM holds {}, as {} allow{}", ctas, unplaced.ctas_per_sm,
                     unplaced.limit, unplaced.limit.ends_with('s') ? "" : "s");
}

}  // namespace

bool is_deadlocked(const ChipState& chip) {
  if (!chip.scheduler.is_waiting(chip.now)) return false;
  return all_are_hopeless(chip) || nothing_is_under_way(chip);
}

std::string describe_deadlock(const ChipState& chip) {
  std::vector<std::string> lines;
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < chip.sms.size(); ++i) {
    if (chip.sms[i]->resident_warps() == 0) {
      if (!chip.sms[i]->is_idle())
        lines.push_back(
            fmt::format("sm[{}] waits for answers to accesses of warps that have exited", i));
      continue;
    }
    const std::vector<Group> groups = grouped(*chip.sms[i]);
    for (const Group& group : groups) {
      if (lines.size() < kMostLines)
        lines.push_back(line_of(i, group, groups, chip.sms[i]->kernel()->launch(), chip.memory));
      else
        left_out += group.warps.size();
    }
  }
  if (left_out > 0) lines.push_back(fmt::format("and {} more warps", left_out));
  for (const CtaScheduler::Unplaced& unplaced : chip.scheduler.unplaced())
    lines.push_back(line_of(unplaced));
  if (lines.empty()) return "no warp is resident";
  return fmt::format("{}", fmt::join(lines, "\n"));
}

}  // namespace tcsim::gpu
