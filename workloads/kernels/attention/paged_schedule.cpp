#include "workloads/kernels/attention/paged_schedule.hpp"

#include <algorithm>
#include <bit>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;
using isa::Opcode;
using isa::Variable;

constexpr std::int64_t kSequencesPerWarp = 31;
constexpr int kOpsPerStep = 4;  // middle, ends, addresses (assumption)
constexpr int kNumbers = 4;     // splits, row tiles, place in the order, heads that share the L2
constexpr int kNumberBytes = 4;
constexpr int kLengthRegister = 0;     // register of the first of two lengths
constexpr int kSumRegister = 2;        // register of a sum over the lanes
constexpr int kDivision = 12;          // integer division by a number known to the host, and minima
constexpr int kScheduleSetupOps = 40;  // (assumptions, as are the other integer counts)
constexpr int kSorted = 4;             // register of a sequence's four numbers as they are sorted
constexpr int kOther = 8;              // register of the four that they are compared with
constexpr int kSortedBytes = 16;
constexpr int kScheduleAddresses = 12;
constexpr int kScheduleAddressRegisters = 24;
constexpr int kScheduleRegisters = kScheduleAddresses + kScheduleAddressRegisters;

int warps_of(const AttentionProblem& problem) {
  const auto needed = ceil_div<std::int64_t>(problem.batch, kSequencesPerWarp);
  return static_cast<int>(
      std::bit_ceil(static_cast<std::uint64_t>(std::min<std::int64_t>(needed, kMostWarps))));
}

class Schedule {
 public:
  explicit Schedule(const AttentionProblem& problem)
      : p_(problem), builder_("main"), work_(kScheduleAddresses, kScheduleAddressRegisters) {}

  isa::KernelLaunch launch() {
    begin_kernel(builder_, work_, 2, work_.setup_ops(kScheduleSetupOps));
    for (int i = 0; i < 2; ++i)
      builder_.append(load(Opcode::kLdg32, reg(kLengthRegister + i), work_.pointer(i), number(0, i),
                           sequences()));
    exchange(kLengthRegister);  // of the next sequence, whose first token ends this one
    builder_.append(work_.vector_ops(2 * kDivision));  // tiles of rows, blocks of keys
    builder_.append(arithmetic(Opcode::kImad, reg(kSumRegister), reg(kLengthRegister),
                               reg(kLengthRegister + 1)));
    for (int distance = 16; distance >= 1; distance /= 2) exchange(kSumRegister);
    meet();
    builder_.append(work_.vector_ops(3 * kDivision));  // blocks of an SM, splits, heads in the L2
    builder_.append(
        arithmetic(Opcode::kImad, reg(kSumRegister), reg(kSumRegister), reg(kLengthRegister)));
    for (int i = 0; i < kNumbers; ++i)
      builder_.append(arithmetic(Opcode::kMov, reg(kSorted + i), reg(kLengthRegister + i)));
    sort();
    for (int i = 0; i < kNumbers; ++i)
      builder_.append(
          store(Opcode::kStg32, reg(kSorted + i), work_.pointer(i), number(1, i), sequences()));
    return uniform_launch(
        {.name = "attention_schedule",
         .grid = {ceil_div<std::int64_t>(p_.batch, kSequencesPerWarp * kMostWarps), 1, 1},
         .warps_per_cta = warps_of(p_),
         .registers_per_thread = kScheduleRegisters,
         .shared_bytes_per_cta = kSortedBytes * kLanes * warps_of(p_)},
        builder_.finish());
  }

 private:
  [[nodiscard]] isa::Expression sequence() const {
    isa::Expression sequence;
    add_term(sequence,
             {.variable = Variable::kCtaX, .coefficient = kSequencesPerWarp * kMostWarps});
    add_term(sequence, {.variable = Variable::kWarp, .coefficient = kSequencesPerWarp});
    add_term(sequence, {.variable = Variable::kLane, .coefficient = 1});
    return sequence;
  }

  int sequences() {
    isa::Expression lane;
    add_term(lane, {.variable = Variable::kLane, .coefficient = 1});
    return builder_.guard({{{lane, kSequencesPerWarp}, {sequence(), p_.batch}}});
  }

  int number(int buffer, int row) {
    isa::MemoryAccess access{.buffer = buffer};
    access.global.offset = constant(std::int64_t{row} * kNumberBytes * p_.batch);
    add_scaled(access.global.offset, sequence(), kNumberBytes);
    return builder_.access(std::move(access));
  }

  void exchange(int of) {
    builder_.append(with_immediate(arithmetic(Opcode::kShfl, reg(kSumRegister + 1), reg(of)), 1));
    builder_.append(
        arithmetic(Opcode::kIadd3, reg(kSumRegister), reg(kSumRegister), reg(kSumRegister + 1)));
  }

  /// The warps' sums in shared memory.
  void meet() {
    isa::Expression lane;
    add_term(lane, {.variable = Variable::kLane, .coefficient = 1});
    isa::Expression warp;
    add_term(warp, {.variable = Variable::kWarp, .coefficient = 1});
    const int access = builder_.access({.shared = {}});
    builder_.append(store(Opcode::kSts32, reg(kSumRegister), reg(work_.fragment_address_a()),
                          access, builder_.guard({{{lane, 1}, {warp, 1}}})));
    builder_.append(control(Opcode::kBarSync));
    builder_.append(
        load(Opcode::kLds32, reg(kSumRegister), reg(work_.fragment_address_a()), access));
  }

  /// The longest sequences first: a merge sort by the CTA's threads, with one number of four words
  /// per thread. In every round, the halves of runs are merged by a binary search whose steps wait
  /// for two keys each.
  void sort() {
    isa::Expression place;
    add_term(place,
             {.variable = Variable::kWarp, .coefficient = std::int64_t{kSortedBytes} * kLanes});
    add_term(place, {.variable = Variable::kLane, .coefficient = kSortedBytes});
    const int access = builder_.access({.shared = {.offset = place, .swizzle = {}}});
    const isa::Register address = reg(work_.fragment_address_b());
    for (int round = 0; round < log2_exact(std::int64_t{kLanes} * warps_of(p_)); ++round) {
      builder_.append(control(Opcode::kBarSync));
      builder_.append(store(Opcode::kSts128, reg(kSorted), address, access));
      builder_.append(control(Opcode::kBarSync));
      for (int step = 0; step <= round; ++step) {
        for (int half = 0; half < 2; ++half)
          builder_.append(load(Opcode::kLds32, reg(kOther + half), address, access));
        builder_.append(
            arithmetic(Opcode::kIsetp, isa::kZeroRegister, reg(kOther), reg(kOther + 1)));
        builder_.append(work_.vector_ops(kOpsPerStep));
        builder_.append(arithmetic(Opcode::kImad, address, reg(kOther), reg(kOther + 1), address));
      }
      builder_.append(load(Opcode::kLds128, reg(kSorted), address, access));
      builder_.append(load(Opcode::kLds128, reg(kOther), address, access));
      for (int i = 0; i < kNumbers; ++i)
        builder_.append(
            arithmetic(Opcode::kSel, reg(kSorted + i), reg(kSorted + i), reg(kOther + i)));
    }
  }

  const AttentionProblem& p_;
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace

std::int64_t schedule_bytes(const AttentionProblem& problem) {
  return problem.batch * kNumbers * kNumberBytes;
}

isa::KernelLaunch schedule_sequences(const AttentionProblem& problem) {
  return Schedule(problem).launch();
}

isa::KernelLaunch skip_combining(const AttentionProblem& problem) {
  constexpr int kWarps = 8;
  constexpr std::int64_t kElements = 1024;  // of O in FP32, per CTA: 4 of each thread
  constexpr int kOpsBefore = 10;
  const std::int64_t width = problem.dim <= 64 ? 64 : 128;
  ProgramBuilder builder("main");
  AddressWork work(kScheduleAddresses, kScheduleAddressRegisters);
  begin_kernel(builder, work, 2, work.setup_ops(kOpsBefore));
  isa::MemoryAccess access{.buffer = 0};
  add_term(access.global.offset, {.variable = Variable::kCtaY, .coefficient = kNumberBytes});
  builder.append(load(Opcode::kLdg32, reg(kLengthRegister), work.pointer(0),
                      builder.access(std::move(access))));
  builder.append(arithmetic(Opcode::kIsetp, isa::kZeroRegister, reg(kLengthRegister)));
  return uniform_launch(
      {.name = "attention_combine_1",
       .grid = {ceil_div(problem.queries * problem.heads * width, kElements), problem.batch, 1},
       .warps_per_cta = kWarps,
       .registers_per_thread = kScheduleRegisters},
      builder.finish());
}

}  // namespace tcsim::kernels
