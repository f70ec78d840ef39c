#include "tests/functional/async_gemm.hpp"

#include <cstring>
#include <random>

#include "models/numerics/mma.hpp"
#include "tests/functional/small_launch.hpp"

namespace tcsim::functional::testing {
namespace {

using isa::Expression;
using isa::Instruction;
using isa::Opcode;
using isa::Term;
using isa::Variable;

constexpr int kFirstStage = 1024;
constexpr int kConsumers = 4;
constexpr isa::Register kSums = 24;
constexpr isa::Register kOperandA = 8;
constexpr isa::Register kData = 16;

class Builder {
 public:
  explicit Builder(const AsyncGemm& gemm) : gemm_(gemm) {}

  isa::KernelLaunch make() {
    launch_.name = "async";
    launch_.warps_per_cta = kConsumers + 1;
    launch_.registers_per_thread = 224;
    launch_.shared_bytes_per_cta = kFirstStage + gemm_.stages * stage_bytes();
    add_buffers();
    launch_.programs = {consumer(), producer()};
    launch_.program_of_warp = {0, 0, 0, 0, 1};
    return launch_;
  }

 private:
  [[nodiscard]] int row_pitch() const {
    return (gemm_.existing_k() * gemm_.element_bytes() + 15) / 16 * 16;
  }
  [[nodiscard]] int a_bytes() const { return isa::kGroupRows * gemm_.tile_bytes(); }
  [[nodiscard]] int b_bytes() const { return gemm_.n * gemm_.tile_bytes(); }
  [[nodiscard]] int stage_bytes() const { return (a_bytes() + b_bytes() + 1023) / 1024 * 1024; }
  [[nodiscard]] int sum_bytes() const { return numerics::bits(gemm_.formats.sum) / 8; }
  /// Full barriers first, then empty ones.
  [[nodiscard]] Expression barrier(bool empty) const {
    return {empty ? 8 * gemm_.stages : 0, {stage(8)}};
  }
  /// `weight` times the stage of the trip.
  [[nodiscard]] Term stage(int weight) const {
    return {Variable::kLoop0, weight, 1, static_cast<std::uint32_t>(gemm_.stages)};
  }
  [[nodiscard]] Expression parity(bool opposite) const {
    const int sign = opposite ? -1 : 1;
    return {opposite ? 1 : 0,
            {{Variable::kLoop0, sign, static_cast<std::uint32_t>(gemm_.stages), 2}}};
  }
  [[nodiscard]] Expression tile(int offset) const {
    return {kFirstStage + offset, {stage(stage_bytes())}};
  }

  void add_buffers() {
    const auto add = [&](const char* name, std::uint64_t base, int bytes, bool input) {
      launch_.buffers.push_back({name, base, static_cast<std::uint64_t>(bytes), input});
    };
    add("A", 0, isa::kGroupRows * row_pitch(), true);
    add("B", 1 << 20, gemm_.n * row_pitch(), true);
    add("D", 1 << 21, isa::kGroupRows * gemm_.n * sum_bytes(), false);
    add_map("A", 0, gemm_.rows, isa::kGroupRows);
    add_map("B", 1, gemm_.n, gemm_.n);
  }

  void add_map(const char* name, int buffer, int rows, int box_rows) {
    const int element = gemm_.element_bytes();
    isa::TensorMap map{.name = name, .buffer = buffer, .element_bytes = element};
    map.swizzle = gemm_.swizzle;
    if (gemm_.swizzle ==
        isa::TileSwizzle::kNone) {  // pieces of 16 bytes, behind one another along k
      map.extents = {16 / element, rows, row_pitch() / 16};
      map.strides = {row_pitch(), 16};
      map.box = {16 / element, box_rows, gemm_.tile_bytes() / 16};
    } else {
      map.extents = {gemm_.existing_k(), rows};
      map.strides = {row_pitch()};
      map.box = {gemm_.tile_bytes() / element, box_rows};
    }
    launch_.tensor_maps.push_back(map);
  }

  void emit(const Instruction& instruction) { program_.instructions.push_back(instruction); }
  void emit(Opcode opcode, isa::AsyncOperands operands, int guard = isa::kNoIndex,
            Instruction instruction = {}) {
    instruction.opcode = opcode;
    instruction.access = static_cast<int>(program_.async.size());
    instruction.guard = guard;
    program_.async.push_back(std::move(operands));
    emit(instruction);
  }

  void begin_loop() {
    program_.loops.push_back({.first = static_cast<int>(program_.instructions.size())});
  }
  void end_loop() {
    program_.loops.back().last = static_cast<int>(program_.instructions.size());
    program_.loops.back().trips = {gemm_.k_tiles};
    emit(plain(Opcode::kBra, 0));
  }

  [[nodiscard]] isa::MatrixDescriptor descriptor(int offset, int rows) const {
    isa::MatrixDescriptor result{.start = tile(offset), .swizzle = gemm_.swizzle};
    if (gemm_.swizzle == isa::TileSwizzle::kNone) {
      result.leading_bytes = 16 * rows;
      result.stride_bytes = 128;
    } else {
      result.stride_bytes = isa::pattern_bytes(gemm_.swizzle);
    }
    return result;
  }

  void multiply() {
    const int steps = gemm_.tile_bytes() / isa::kGroupRowBytes;
    const bool swizzled = gemm_.swizzle != isa::TileSwizzle::kNone;
    if (gemm_.a_in_registers) load_a();
    if (gemm_.fault != Fault::kNoGroupArrive) emit(plain(Opcode::kWarpgroupArrive));
    for (int step = 0; step < steps; ++step) {
      const auto at = [&](int rows) { return swizzled ? 32 * step : 32 * rows * step; };
      isa::MatrixOperands operands;
      if (!gemm_.a_in_registers) operands.a = descriptor(at(isa::kGroupRows), isa::kGroupRows);
      operands.b = descriptor(a_bytes() + at(gemm_.n), gemm_.n);
      Instruction instruction{.dst = kSums};
      if (gemm_.a_in_registers)
        instruction.src[0] = static_cast<isa::Register>(kOperandA + 4 * step);
      instruction.src[2] = kSums;
      instruction.immediate = step + 1 == steps ? isa::kClosesGroup : 0;
      emit(*isa::group_mma_opcode(gemm_.formats, gemm_.n, gemm_.a_in_registers), operands,
           isa::kNoIndex, instruction);
    }
  }

  /// A of the k-tile from global memory into fragments (numerics.md 13).
  void load_a() {
    for (int i = 0; i < gemm_.tile_bytes() / 8; ++i) {
      isa::MemoryAccess access{.buffer = 0};
      access.global.offset = {16 * (i / 2) + 8 * (i % 2) * row_pitch(),
                              {{Variable::kLoop0, gemm_.tile_bytes()},
                               {Variable::kWarp, 16 * row_pitch()},
                               {Variable::kLane, row_pitch(), 4},
                               {Variable::kLane, 4, 1, 4}}};
      emit({.opcode = Opcode::kLdg32,
            .dst = static_cast<isa::Register>(kOperandA + i),
            .access = static_cast<int>(program_.accesses.size())});
      program_.accesses.push_back(access);
    }
  }

  void store_sums() {
    const int registers =
        isa::opcode_info(*isa::group_mma_opcode(gemm_.formats, gemm_.n, false)).dst_registers;
    const int width = gemm_.n * sum_bytes();
    const int per_block = sum_bytes();  // registers of 8 columns: 2 of FP16, 4 of 32 bits
    for (int i = 0; i < registers; ++i) {
      const int block = i / per_block;
      const int half = sum_bytes() == 4 ? i % 4 / 2 : i % 2;
      const int column = sum_bytes() == 4 ? i % 2 : 0;
      isa::MemoryAccess access{.buffer = 2};
      access.global.offset = {8 * half * width + (8 * block + column) * sum_bytes(),
                              {{Variable::kWarp, 16 * width},
                               {Variable::kLane, width, 4},
                               {Variable::kLane, 2 * sum_bytes(), 1, 4}}};
      Instruction store{.opcode = Opcode::kStg32,
                        .access = static_cast<int>(program_.accesses.size())};
      store.src[1] = static_cast<isa::Register>(kSums + i);
      emit(store);
      program_.accesses.push_back(access);
    }
  }

  isa::WarpProgram consumer() {
    program_ = {.name = "consumer"};
    program_.guards = {{{{{0, {{Variable::kWarp, 1}}}, 1}}}};
    for (int s = 0; s < gemm_.stages; ++s) {
      emit(Opcode::kSyncsExch, isa::BarrierOperand{{8 * s}, {1}}, 0);
      emit(Opcode::kSyncsExch, isa::BarrierOperand{{8 * (gemm_.stages + s)}, {kConsumers}}, 0);
    }
    for (int r = 0; r < 128; r += 2)
      emit({.opcode = Opcode::kCs2r, .dst = static_cast<isa::Register>(kSums + r)});
    emit(plain(Opcode::kBarSync));
    begin_loop();
    if (gemm_.fault != Fault::kNoFullWait)
      emit(Opcode::kSyncsTryWait,
           isa::BarrierOperand{barrier(false), parity(gemm_.fault == Fault::kWrongPhase)});
    multiply();
    emit(plain(Opcode::kWarpgroupDepbar, gemm_.fault == Fault::kWaitShort ? 1 : 0));
    if (gemm_.fault != Fault::kNoArrival)
      emit(Opcode::kSyncsArrive, isa::BarrierOperand{barrier(true), {}});
    end_loop();
    if (gemm_.fault == Fault::kEarlySums) {
      multiply();
      store_sums();
    }
    emit(plain(Opcode::kWarpgroupDepbar, 0));
    if (gemm_.fault != Fault::kEarlySums) store_sums();
    emit(plain(Opcode::kExit));
    return program_;
  }

  [[nodiscard]] isa::TileOperand box(int map, int offset) const {
    isa::TileOperand operand{.map = map, .shared = tile(offset), .barrier = barrier(false)};
    const int tile_elements = gemm_.tile_bytes() / gemm_.element_bytes();
    if (gemm_.swizzle == isa::TileSwizzle::kNone)
      operand.coordinates = {{0}, {0}, {0, {{Variable::kLoop0, gemm_.tile_bytes() / 16}}}};
    else
      operand.coordinates = {{0, {{Variable::kLoop0, tile_elements}}}, {0}};
    return operand;
  }

  /// A k-tile of B, 16 bytes by each lane. Requires the swizzle of 128 bytes.
  void store_b() {
    for (int i = 0; i < b_bytes() / (16 * isa::kLanes); ++i) {
      isa::MemoryAccess access{.buffer = 1};
      access.global.offset = {4 * i * row_pitch(),
                              {{Variable::kLoop0, gemm_.tile_bytes()},
                               {Variable::kLane, row_pitch(), 8},
                               {Variable::kLane, 16, 1, 8}}};
      access.shared = {
          {kFirstStage + a_bytes() + 512 * i,
           {stage(stage_bytes()), {Variable::kLane, 128, 8}, {Variable::kLane, 16, 1, 8}}},
          isa::swizzle_of(gemm_.swizzle)};
      const auto number = static_cast<int>(program_.accesses.size());
      program_.accesses.push_back(access);
      emit({.opcode = Opcode::kLdg128, .dst = kData, .access = number});
      Instruction store{.opcode = Opcode::kSts128, .access = number};
      store.src[1] = kData;
      emit(store);
    }
    if (gemm_.fault != Fault::kNoProxyFence) emit(plain(Opcode::kFenceViewAsync));
  }

  isa::WarpProgram producer() {
    program_ = {.name = "producer"};
    const bool two_dimensions = gemm_.swizzle != isa::TileSwizzle::kNone;
    const Opcode copy = two_dimensions ? Opcode::kUtmaldg2d : Opcode::kUtmaldg3d;
    emit(plain(Opcode::kBarSync));
    begin_loop();
    if (gemm_.fault != Fault::kNoEmptyWait)
      emit(Opcode::kSyncsTryWait, isa::BarrierOperand{barrier(true), parity(true)});
    if (gemm_.stores_b) store_b();
    int bytes = gemm_.stores_b ? 0 : b_bytes();
    if (!gemm_.a_in_registers) bytes += a_bytes();
    if (gemm_.fault == Fault::kTooFewBytes) bytes -= 16;
    emit(Opcode::kSyncsArriveBytes, isa::BarrierOperand{barrier(false), {bytes}});
    if (!gemm_.a_in_registers) emit(copy, box(0, 0));
    if (!gemm_.stores_b) emit(copy, box(1, a_bytes()));
    end_loop();
    emit(plain(Opcode::kExit));
    return program_;
  }

  const AsyncGemm& gemm_;
  isa::KernelLaunch launch_;
  isa::WarpProgram program_;
};

/// Bits of a finite number of `type`, and not too large.
std::uint32_t random_bits(std::mt19937& random, numerics::ElementType type) {
  const auto bits = static_cast<std::uint32_t>(random());
  switch (type) {
    case numerics::ElementType::kFp16:
      return bits & 0xbfffU;
    case numerics::ElementType::kBf16:
      return (bits & 0x80ffU) | 0x3f00U;
    case numerics::ElementType::kTf32:
      return (bits & 0x80ffe000U) | 0x3f000000U;
    case numerics::ElementType::kE4m3:
    case numerics::ElementType::kE5m2:
      return bits & 0xbfU;
    default:
      return bits & 0xffU;
  }
}

struct Matrix {
  std::vector<std::uint64_t> patterns;
  int columns;
  [[nodiscard]] std::span<const std::uint64_t> row(int r) const {
    return std::span(patterns).subspan(static_cast<std::size_t>(r * columns),
                                       static_cast<std::size_t>(columns));
  }
};

/// Fills `buffer` with `rows` rows of k elements; returns them with zeros up to `padded`.
Matrix fill(std::mt19937& random, std::span<std::uint8_t> buffer, numerics::ElementType type,
            int rows, int k, int padded) {
  const int bytes = numerics::bits(type) / 8;
  const int pitch = (k * bytes + 15) / 16 * 16;
  Matrix matrix{std::vector<std::uint64_t>(static_cast<std::size_t>(rows * padded)), padded};
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < k; ++c) {
      const std::uint32_t pattern = random_bits(random, type);
      std::memcpy(&buffer[static_cast<std::size_t>(r * pitch + c * bytes)], &pattern,
                  static_cast<std::size_t>(bytes));
      matrix.patterns[static_cast<std::size_t>(r * padded + c)] = pattern;
    }
  return matrix;
}

}  // namespace

isa::KernelLaunch AsyncGemm::launch() const { return Builder(*this).make(); }

std::string run(const AsyncGemm& gemm, std::vector<Race>& races) {
  const isa::KernelLaunch launch = gemm.launch();
  GlobalMemory memory(launch);
  std::mt19937 random(1);
  const Matrix a = fill(random, memory.buffer("A"), gemm.formats.a, gemm.rows, gemm.existing_k(),
                        gemm.padded_k());
  const Matrix b =
      fill(random, memory.buffer("B"), gemm.formats.b, gemm.n, gemm.existing_k(), gemm.padded_k());
  const auto result = execute(launch, numerics::Generation::kHopper, memory);
  if (!result.has_value()) return result.refusal().reason;
  races = result.value().races;
  numerics::MmaInstruction mma;
  mma.kind = numerics::InstructionKind::kWgmma;
  mma.shape = {isa::kGroupRows, gemm.n, 8 * isa::kGroupRowBytes / numerics::bits(gemm.formats.a)};
  mma.a = gemm.formats.a;
  mma.b = gemm.formats.b;
  mma.c = mma.d = gemm.formats.sum;
  const auto arithmetic = numerics::arithmetic_of(mma, numerics::Generation::kHopper);
  if (!arithmetic.has_value()) return arithmetic.refusal().reason;
  const auto bytes = static_cast<std::size_t>(numerics::bits(gemm.formats.sum) / 8);
  for (int row = 0; row < gemm.rows; ++row)
    for (int column = 0; column < gemm.n; ++column) {
      std::uint64_t got = 0;
      std::memcpy(&got,
                  &memory.buffer("D")[static_cast<std::size_t>(row * gemm.n + column) * bytes],
                  bytes);
      const std::uint64_t want = numerics::mma(arithmetic.value(), a.row(row), b.row(column), 0);
      if (got != want)
        return "D[" + std::to_string(row) + "][" + std::to_string(column) + "] is " +
               std::to_string(got) + ", not " + std::to_string(want);
    }
  return {};
}

}  // namespace tcsim::functional::testing
