#include "models/functional/memory_unit.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "models/functional/atomic.hpp"

namespace tcsim::functional {
namespace {

using isa::Effect;
using Failure = std::optional<numerics::Refusal>;
using LaneBytes = std::array<std::uint8_t, 16>;

Failure check(const char* space, std::int64_t offset, std::size_t bytes, std::int64_t size,
              std::size_t lane) {
  const auto width = static_cast<std::int64_t>(bytes);
  const bool inside = offset >= 0 && offset <= size - width;
  if (inside && offset % width == 0) return std::nullopt;
  return numerics::mistake("lane " + std::to_string(lane) + " accesses " + std::to_string(bytes) +
                           " bytes at " + space + " offset " + std::to_string(offset) +
                           (inside ? ", which is not a multiple of them"
                                   : ", outside its " + std::to_string(size) + " bytes"));
}

/// Registers of a lane as bytes. A 16-bit access uses the low half of one register.
constexpr std::size_t words_of(std::size_t bytes) { return std::max<std::size_t>(1, bytes / 4); }

LaneBytes gather(const RegisterFile& registers, isa::Register first, std::size_t lane,
                 std::size_t bytes) {
  LaneBytes content{};
  for (std::size_t i = 0; i < words_of(bytes); ++i)
    std::memcpy(&content[4 * i], &registers.read(first, i)[lane], 4);
  return content;
}

Effect effect_of(const Warp& warp) { return isa::opcode_info(warp.instruction().opcode).effect; }

/// The first `bytes` of `content`, low byte first.
std::uint64_t as_number(const LaneBytes& content, std::size_t bytes) {
  std::uint64_t number = 0;
  std::memcpy(&number, content.data(), bytes);
  return number;
}

/// What a load has brought for each lane, to be written register by register.
class Loaded {
 public:
  std::span<std::uint8_t> lane(std::size_t lane, std::size_t bytes) {
    return std::span(content_[lane]).first(bytes);
  }

  void write(RegisterFile& registers, isa::Register first, LaneMask mask, std::size_t bytes) const {
    for (std::size_t i = 0; i < words_of(bytes); ++i) {
      LaneWords words{};
      for (std::size_t l = 0; l < kLanes; ++l) std::memcpy(&words[l], &content_[l][4 * i], 4);
      registers.write(first, i, words, mask);
    }
  }

 private:
  std::array<LaneBytes, kLanes> content_{};
};

constexpr std::size_t kMatrixSide = isa::kMatrixRows;

/// One of the matrices of an LDSM or STSM.
struct Matrix {
  std::array<std::array<std::uint16_t, kMatrixSide>, kMatrixSide> elements{};

  /// The element of half `half` of the word of `lane`.
  std::uint16_t& of_lane(std::size_t lane, std::size_t half, bool transposed) {
    const std::size_t row = lane / 4;
    const std::size_t column = 2 * (lane % 4) + half;
    return transposed ? elements[column][row] : elements[row][column];
  }
};

/// The lane whose address is that of row `row` of matrix `matrix`.
constexpr std::size_t naming_lane(std::size_t matrix, std::size_t row) {
  return kMatrixSide * matrix + row;
}

bool is_transposed(isa::Opcode opcode) {
  return (opcode >= isa::Opcode::kLdsmTX1 && opcode <= isa::Opcode::kLdsmTX4) ||
         opcode >= isa::Opcode::kStsmTX1;
}

}  // namespace

Failure MemoryUnit::execute(Warp& warp, LaneMask mask) {
  const isa::Instruction& instruction = warp.instruction();
  const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
  const LaneAccess& access = warp.program->access_of(instruction);
  const std::size_t bytes = info.bytes_per_lane;
  switch (info.effect) {
    case Effect::kLoadGlobal:
      return load_global(warp, access, mask, bytes);
    case Effect::kStoreGlobal:
      return store_global(warp, access, mask, bytes);
    case Effect::kLoadShared:
    case Effect::kLoadCluster:
      return load_shared(warp, access, mask, bytes);
    case Effect::kStoreShared:
    case Effect::kStoreCluster:
      return store_shared(warp, access, mask, bytes);
    case Effect::kLoadMatrix:
      return load_matrices(warp, access);
    case Effect::kStoreMatrix:
      return store_matrices(warp, access);
    case Effect::kAtomicGlobal:
    case Effect::kReduceGlobal:
    case Effect::kAtomicShared:
    case Effect::kAtomicCluster:
      return update(warp, access, mask, bytes);
    case Effect::kLoadConstant:
      return numerics::unsupported("the values of constants are not modelled");
    default:
      return copy(warp, access, mask, bytes);
  }
}

Failure MemoryUnit::load_global(Warp& warp, const LaneAccess& access, LaneMask mask,
                                std::size_t bytes) {
  if (mask == 0) return std::nullopt;
  const std::span<const std::uint8_t> buffer = buffer_of(access);
  const LaneOffsets offsets = access.global.offsets(warp.bindings);
  Loaded loaded;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (!is_on(mask, lane)) continue;
    if (auto failure = check("global", offsets[lane], bytes, std::ssize(buffer), lane))
      return failure;
    std::copy_n(buffer.begin() + offsets[lane], bytes, loaded.lane(lane, bytes).begin());
    if (global_order_ != nullptr)
      global_order_->load(warp.accessor(), cta_, access.buffer, offsets[lane], bytes);
  }
  if (warp.instruction().opcode == isa::Opcode::kLdgStrong32) {
    const auto first = static_cast<std::size_t>(std::countr_zero(mask));
    std::memcpy(&warp.flag, loaded.lane(first, bytes).data(), sizeof warp.flag);
    warp.flag_place = {access.buffer, offsets[first]};
  }
  loaded.write(warp.registers, warp.instruction().dst, mask, bytes);
  return std::nullopt;
}

Failure MemoryUnit::store_global(Warp& warp, const LaneAccess& access, LaneMask mask,
                                 std::size_t bytes) {
  if (mask == 0) return std::nullopt;
  const std::span<std::uint8_t> buffer = buffer_of(access);
  const LaneOffsets offsets = access.global.offsets(warp.bindings);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (!is_on(mask, lane)) continue;
    if (auto failure = check("global", offsets[lane], bytes, std::ssize(buffer), lane))
      return failure;
    const LaneBytes content = gather(warp.registers, warp.instruction().src[1], lane, bytes);
    std::copy_n(content.begin(), bytes, buffer.begin() + offsets[lane]);
    if (global_order_ != nullptr)
      global_order_->store(warp.accessor(), cta_, access.buffer, offsets[lane], bytes);
  }
  return std::nullopt;
}

/// The place that `lane` of an instruction of `effect` accesses with `bytes` at `address`.
numerics::Result<MemoryUnit::SharedPlace> MemoryUnit::shared_place(Effect effect,
                                                                   std::int64_t address,
                                                                   std::size_t bytes,
                                                                   std::size_t lane) const {
  SharedPlace place{&shared_, address};
  if (isa::addresses_cluster(effect)) {
    const auto memory = cluster_->of(isa::rank_of(address));
    if (!memory.has_value()) return memory.refusal();
    place = {memory.value(), isa::byte_of(address)};
  }
  if (auto failure = check("shared", place.offset, bytes, place.memory->size(), lane))
    return *failure;
  return place;
}

Failure MemoryUnit::load_shared(Warp& warp, const LaneAccess& access, LaneMask mask,
                                std::size_t bytes) {
  if (mask == 0) return std::nullopt;
  const LaneOffsets offsets = access.shared.offsets(warp.bindings);
  Loaded loaded;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (!is_on(mask, lane)) continue;
    const auto place = shared_place(effect_of(warp), offsets[lane], bytes, lane);
    if (!place.has_value()) return place.refusal();
    const auto [memory, offset] = place.value();
    memory->read(warp.accessor(), offset, loaded.lane(lane, bytes));
  }
  loaded.write(warp.registers, warp.instruction().dst, mask, bytes);
  return std::nullopt;
}

Failure MemoryUnit::store_shared(Warp& warp, const LaneAccess& access, LaneMask mask,
                                 std::size_t bytes) {
  if (mask == 0) return std::nullopt;
  const LaneOffsets offsets = access.shared.offsets(warp.bindings);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (!is_on(mask, lane)) continue;
    const auto place = shared_place(effect_of(warp), offsets[lane], bytes, lane);
    if (!place.has_value()) return place.refusal();
    const auto [memory, offset] = place.value();
    const LaneBytes content = gather(warp.registers, warp.instruction().src[1], lane, bytes);
    memory->write(warp.accessor(), offset, std::span(content).first(bytes));
  }
  return std::nullopt;
}

Failure MemoryUnit::update(Warp& warp, const LaneAccess& access, LaneMask mask, std::size_t bytes) {
  if (mask == 0) return std::nullopt;
  const isa::Instruction& instruction = warp.instruction();
  const isa::OpcodeInfo& info = isa::opcode_info(instruction.opcode);
  const bool is_shared = isa::is_shared_atomic(info.effect);
  const std::span<std::uint8_t> buffer = is_shared ? std::span<std::uint8_t>{} : buffer_of(access);
  const LaneOffsets offsets = (is_shared ? access.shared : access.global).offsets(warp.bindings);
  Loaded loaded;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (!is_on(mask, lane)) continue;
    std::span<std::uint8_t> place;
    if (is_shared) {
      const auto at = shared_place(info.effect, offsets[lane], bytes, lane);
      if (!at.has_value()) return at.refusal();
      place = at.value().memory->update(warp.accessor(), at.value().offset, bytes);
    } else {
      if (auto failure = check("global", offsets[lane], bytes, std::ssize(buffer), lane))
        return failure;
      place = buffer.subspan(static_cast<std::size_t>(offsets[lane]), bytes);
    }
    std::ranges::copy(place, loaded.lane(lane, bytes).begin());
    const auto operand = [&](std::size_t source) {
      if (instruction.has_immediate)
        return std::uint64_t{static_cast<std::uint32_t>(instruction.immediate)};
      return as_number(gather(warp.registers, instruction.src[source], lane, bytes), bytes);
    };
    LaneBytes old{};
    std::ranges::copy(place, old.begin());
    const std::uint64_t result =
        atomic_result(info.atomic, info.atomic_type, as_number(old, bytes), operand(1), operand(2));
    std::memcpy(place.data(), &result, bytes);
    if (global_order_ != nullptr && !is_shared && instruction.has_immediate)
      global_order_->raise(warp.agent, {access.buffer, offsets[lane]}, instruction.immediate);
  }
  if (info.dst_registers > 0) loaded.write(warp.registers, instruction.dst, mask, bytes);
  return std::nullopt;
}

Failure MemoryUnit::load_matrices(Warp& warp, const LaneAccess& access) {
  const isa::Instruction& instruction = warp.instruction();
  const auto matrices =
      static_cast<std::size_t>(isa::matrices_of(isa::opcode_info(instruction.opcode)));
  const LaneOffsets rows = access.shared.offsets(warp.bindings);
  for (std::size_t number = 0; number < matrices; ++number) {
    Matrix matrix;
    for (std::size_t row = 0; row < kMatrixSide; ++row) {
      const std::size_t lane = naming_lane(number, row);
      if (auto failure = check("shared", rows[lane], isa::kMatrixRowBytes, shared_.size(), lane))
        return failure;
      LaneBytes content{};
      shared_.read(warp.accessor(), rows[lane], content);
      std::memcpy(matrix.elements[row].data(), content.data(), isa::kMatrixRowBytes);
    }
    LaneWords words{};
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      for (std::size_t half = 0; half < 2; ++half)
        words[lane] |= std::uint32_t{matrix.of_lane(lane, half, is_transposed(instruction.opcode))}
                       << 16 * half;
    warp.registers.write(instruction.dst, number, words);
  }
  return std::nullopt;
}

Failure MemoryUnit::store_matrices(Warp& warp, const LaneAccess& access) {
  const isa::Instruction& instruction = warp.instruction();
  const auto matrices =
      static_cast<std::size_t>(isa::matrices_of(isa::opcode_info(instruction.opcode)));
  const LaneOffsets rows = access.shared.offsets(warp.bindings);
  for (std::size_t number = 0; number < matrices; ++number) {
    const LaneWords words = warp.registers.read(instruction.src[1], number);
    Matrix matrix;
    for (std::size_t lane = 0; lane < kLanes; ++lane)
      for (std::size_t half = 0; half < 2; ++half)
        matrix.of_lane(lane, half, is_transposed(instruction.opcode)) =
            static_cast<std::uint16_t>(words[lane] >> 16 * half);
    for (std::size_t row = 0; row < kMatrixSide; ++row) {
      const std::size_t lane = naming_lane(number, row);
      if (auto failure = check("shared", rows[lane], isa::kMatrixRowBytes, shared_.size(), lane))
        return failure;
      LaneBytes content{};
      std::memcpy(content.data(), matrix.elements[row].data(), isa::kMatrixRowBytes);
      shared_.write(warp.accessor(), rows[lane], content);
    }
  }
  return std::nullopt;
}

Failure MemoryUnit::copy(Warp& warp, const LaneAccess& access, LaneMask mask, std::size_t bytes) {
  if (mask == 0) return std::nullopt;
  const LaneMask reading = access.source.mask(warp.bindings);
  const std::span<const std::uint8_t> buffer = buffer_of(access);
  const LaneOffsets from = access.global.offsets(warp.bindings);
  const LaneOffsets to = access.shared.offsets(warp.bindings);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (!is_on(mask, lane)) continue;
    Copy copy{
        .issuer = warp.accessor(), .shared_offset = to[lane], .bytes = static_cast<int>(bytes)};
    if (auto failure = check("shared", to[lane], bytes, shared_.size(), lane)) return failure;
    if (is_on(reading, lane)) {
      if (auto failure = check("global", from[lane], bytes, std::ssize(buffer), lane))
        return failure;
      std::copy_n(buffer.begin() + from[lane], bytes, copy.content.begin());
    }
    shared_.open(copy, warp.copies);
  }
  return std::nullopt;
}

}  // namespace tcsim::functional
