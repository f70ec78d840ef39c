#pragma once

#include <string>

#include "models/isa/launch.hpp"
#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/program_builder.hpp"

namespace tcsim::kernels {

/// A kernel whose threads process the items 0 to items - 1 in order: in round r of `rounds`, thread
/// t of CTA b has item (b * rounds + r) * threads + t.
class FlatKernel {
 public:
  static constexpr int kWarps = 8;  // assumption: the libraries' usual 256 threads

  /// `data_registers` for values come before those for addresses. `setup_ops` integer instructions
  /// come first.
  FlatKernel(std::string name, std::int64_t items, int rounds, int data_registers, int setup_ops);

  [[nodiscard]] ProgramBuilder& builder() { return builder_; }
  [[nodiscard]] AddressWork& work() { return work_; }
  [[nodiscard]] int rounds() const { return rounds_; }
  /// The thread's item in a round.
  [[nodiscard]] isa::Expression item(int round) const;
  /// True if that item exists.
  [[nodiscard]] isa::Guard exists(int round) const;

  /// Adds a load of `bytes` from byte `offset` of `buffer` into registers from `data` on (with
  /// `is_store` a store), if the item exists and `also` holds.
  struct Move {
    bool is_store = false;
    int buffer = 0;
    isa::Expression offset;
    int bytes = 4;
    int data = 0;
    isa::Guard also{};
  };
  void move(const Move& move, int round);

  /// The launch without buffers.
  isa::KernelLaunch finish();

 private:
  std::string name_;
  std::int64_t items_;
  int rounds_;
  int registers_;
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace tcsim::kernels
