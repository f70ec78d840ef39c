#pragma once

#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

inline constexpr int kOpsPerAccess = 3;  ///< pointer and predicate (assumption)
inline constexpr int kOpsPerCopy = 2;    ///< a 64-bit pointer increment

/// The integer instructions that a kernel spends on addresses, predicates and loop control. They
/// cost issue slots and pipe time. Their values are not used: address expressions provide those. So
/// their registers only have to be plausible: pointers that memory instructions read, and a ring of
/// scratch registers with short dependences.
class AddressWork {
 public:
  /// Works in registers [first, first + count). Requires count >= kFewestRegisters and an even
  /// `first`. Only uniform_ops() asks whether the machine has a uniform datapath.
  AddressWork(int first, int count, bool has_uniform_datapath = false);
  static constexpr int kFewestRegisters = 12;

  /// Even-aligned register pair with the global address of access number `i`.
  [[nodiscard]] isa::Register pointer(int i) const;
  [[nodiscard]] isa::Register shared_store_address() const { return reg(first_); }
  [[nodiscard]] int fragment_address_a() const { return first_ + 1; }
  [[nodiscard]] int fragment_address_b() const { return first_ + 2; }

  /// The next `count` vector integer instructions of a fixed mix.
  Instructions vector_ops(int count);
  /// The same, but every other instruction is an IMAD: half run on the ALU pipe, half on the
  /// multiply-add pipe.
  Instructions balanced_ops(int count);
  /// The next `count` vector integer instructions of a prologue. Some of them read the kernel's
  /// parameters from constant memory, one word after another.
  Instructions setup_ops(int count);
  /// `count` vector integer instructions. The last two advance pointer(i); the ones before them are
  /// the fixed mix.
  Instructions advance_pointer(int i, int count);
  /// `count` vector integer instructions. The first ones move both fragment addresses to the next
  /// stage.
  Instructions advance_stage(int count);
  /// The next `count` uniform instructions, or vector instructions where the machine has no uniform
  /// datapath.
  Instructions uniform_ops(int count);

 private:
  isa::Instruction vector_op(isa::Opcode opcode);
  isa::Opcode next_of_mix();
  isa::Register next_scratch();
  [[nodiscard]] isa::Register scratch_before(int distance) const;

  int first_;
  int pointers_;  ///< pairs
  int scratch_;   ///< registers
  bool has_uniform_datapath_;
  int next_scratch_ = 0;
  int next_vector_ = 0;
  int next_uniform_ = 0;
  int next_parameter_ = 0;
};

/// The start of a kernel: reads that many numbers of its CTA and its thread, then executes `setup`.
void begin_kernel(ProgramBuilder& builder, const AddressWork& work, int numbers,
                  const Instructions& setup);

}  // namespace tcsim::kernels
