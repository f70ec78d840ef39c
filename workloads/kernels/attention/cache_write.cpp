#include "workloads/kernels/attention/cache_write.hpp"

#include <algorithm>
#include <string>

#include "models/isa/cycle.hpp"
#include "workloads/kernels/address_work.hpp"
#include "workloads/kernels/expression_math.hpp"

namespace tcsim::kernels {
namespace {

using isa::kLanes;
using isa::Opcode;
using isa::Variable;

enum CacheWriteBuffer { kNewKeys, kNewValues, kSlots, kCachedKeys, kCachedValues };

constexpr int kCacheWriteWarps = 4;
constexpr int kCacheWriteSetupOps = 30;   // token, part, bounds, pointers (assumption)
constexpr int kPairsInFlight = 4;         // loads of K and V before the first store (assumption)
constexpr int kCacheWriteOpsPerMove = 2;  // pointers (assumption)
constexpr int kCacheWriteAddressRegisters = 20;

class CacheWrite {
 public:
  explicit CacheWrite(const AttentionProblem& problem)
      : p_(problem),
        row_bytes_(2 * problem.kv_heads * problem.dim),
        warps_per_token_(row_bytes_ % 2048 == 0   ? 4
                         : row_bytes_ % 1024 == 0 ? 2
                                                  : 1),
        part_bytes_(row_bytes_ / warps_per_token_),
        vector_(part_bytes_ % (std::int64_t{16} * kLanes) == 0  ? 16
                : part_bytes_ % (std::int64_t{8} * kLanes) == 0 ? 8
                                                                : 4),
        builder_("main"),
        work_(kSlot + 2, kCacheWriteAddressRegisters) {}

  isa::KernelLaunch launch() {
    emit();
    return uniform_launch(
        {.name = "kv_cache_write_" + std::to_string(row_bytes_) + "_w" +
                 std::to_string(warps_per_token_),
         .grid = {ceil_div<std::int64_t>(tokens() * warps_per_token_, kCacheWriteWarps), 1, 1},
         .warps_per_cta = kCacheWriteWarps,
         .registers_per_thread = kSlot + 2 + kCacheWriteAddressRegisters},
        builder_.finish());
  }

 private:
  static constexpr int kSlot = 2 * 4 * kPairsInFlight;  ///< after the vectors in flight

  [[nodiscard]] std::int64_t tokens() const { return p_.batch * p_.queries; }

  [[nodiscard]] isa::Expression token() const {
    isa::Expression token;
    add_term(token,
             {.variable = Variable::kCtaX, .coefficient = kCacheWriteWarps / warps_per_token_});
    add_field(token, {Variable::kWarp, log2_exact(warps_per_token_),
                      log2_exact(kCacheWriteWarps / warps_per_token_), 1});
    return token;
  }

  /// Byte, in the warp's part of a token's row, that the lane moves in round `round`.
  [[nodiscard]] isa::Expression place(int round) const {
    isa::Expression place = constant(std::int64_t{round} * kLanes * vector_);
    add_field(place, {Variable::kWarp, 0, log2_exact(warps_per_token_), part_bytes_});
    add_term(place, {.variable = Variable::kLane, .coefficient = vector_});
    return place;
  }

  [[nodiscard]] isa::Guard exists(int round) const {
    isa::Guard guard;
    if (tokens() * warps_per_token_ % kCacheWriteWarps != 0)
      guard.bounds.push_back({token(), tokens()});
    const std::int64_t left = part_bytes_ - std::int64_t{round} * kLanes * vector_;
    if (left < std::int64_t{kLanes} * vector_) {
      isa::Expression byte;
      add_term(byte, {.variable = Variable::kLane, .coefficient = vector_});
      guard.bounds.push_back({byte, left});
    }
    return guard;
  }

  void emit() {
    begin_kernel(builder_, work_, 2, work_.setup_ops(kCacheWriteSetupOps));
    isa::MemoryAccess slot{.buffer = kSlots};
    add_scaled(slot.global.offset, token(), 4);
    builder_.append(load(Opcode::kLdg32, reg(kSlot), work_.pointer(0),
                         builder_.access(std::move(slot)), builder_.guard(exists(0))));
    const auto rounds = static_cast<int>(ceil_div(part_bytes_, std::int64_t{kLanes} * vector_));
    for (int first = 0; first < rounds; first += kPairsInFlight) {
      const int end = std::min(rounds, first + kPairsInFlight);
      for (int round = first; round < end; ++round) move(round, /*is_store=*/false);
      for (int round = first; round < end; ++round) move(round, /*is_store=*/true);
    }
  }

  /// K and V of one round. Stores wait for the slot.
  void move(int round, bool is_store) {
    for (const bool is_value : {false, true}) {
      isa::MemoryAccess access{.buffer = is_store ? (is_value ? kCachedValues : kCachedKeys)
                                                  : (is_value ? kNewValues : kNewKeys)};
      isa::Expression& offset = access.global.offset;
      add_scaled(offset, token(), row_bytes_);
      add_scaled(offset, place(round), 1);
      if (is_store) add_cached_tokens(offset);
      const int data = 4 * (2 * (round % kPairsInFlight) + (is_value ? 1 : 0));
      const isa::Register pointer = work_.pointer(is_value ? 1 : 0);
      builder_.append(work_.vector_ops(kCacheWriteOpsPerMove));
      if (is_store)
        builder_.append(arithmetic(Opcode::kImadWide, pointer, reg(kSlot), reg(kSlot), pointer));
      const int index = builder_.access(std::move(access));
      const int guard = builder_.guard(exists(round));
      builder_.append(is_store ? store(global_store_of(vector_), reg(data), pointer, index, guard)
                               : load(global_load_of(vector_), reg(data), pointer, index, guard));
    }
  }

  /// Tokens that the cache holds before this one, over all sequences up to its own.
  void add_cached_tokens(isa::Expression& offset) const {
    const std::int64_t older = p_.keys - p_.queries;
    offset.constant += older * row_bytes_;
    add_quotient(offset, older * row_bytes_, token(), p_.queries, 0);
  }

  const AttentionProblem& p_;
  const std::int64_t row_bytes_;
  const int warps_per_token_;
  const std::int64_t part_bytes_;
  const int vector_;  ///< bytes of a lane
  ProgramBuilder builder_;
  AddressWork work_;
};

}  // namespace

isa::KernelLaunch write_cache(const AttentionProblem& problem) {
  return CacheWrite(problem).launch();
}

}  // namespace tcsim::kernels
