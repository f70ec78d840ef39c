// Products of a warpgroup with a 2:4 sparse A (wgmma.mma_async.sp).

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <random>

#include "models/functional/execute.hpp"
#include "models/isa/group_mma.hpp"
#include "models/numerics/sparsity.hpp"
#include "tests/functional/races.hpp"
#include "tests/functional/small_launch.hpp"

namespace tcsim::functional::testing {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Variable;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr int kSteps = 2;  // products behind each other
constexpr int kThreads = isa::kGroupWarps * isa::kLanes;
constexpr isa::Register kCopied = 4;
constexpr isa::Register kStoredA = 8;
constexpr isa::Register kMetadata = 16;
constexpr isa::Register kSparseSums = 24;

/// What a planted fault changes.
enum class SparseFault { kNone, kMetadataTooLate, kMetadataOverwritten };

struct SparseProduct {
  isa::GroupFormats formats = isa::kGroupFormats[0];
  int n = 16;
  bool a_in_registers = false;
  int selector = 0;
  SparseFault fault = SparseFault::kNone;

  [[nodiscard]] Opcode opcode() const {
    return *isa::group_mma_opcode(formats, n, a_in_registers, /*sparse=*/true);
  }
  [[nodiscard]] isa::GroupMma mma() const { return isa::group_mma(opcode()); }
  [[nodiscard]] int element_bytes() const { return numerics::bits(formats.a) / 8; }
  [[nodiscard]] int a_bytes() const { return isa::kGroupRows * isa::kGroupRowBytes; }
  [[nodiscard]] int b_bytes() const { return n * 2 * isa::kGroupRowBytes; }
  [[nodiscard]] int step_bytes() const { return a_bytes() + b_bytes(); }
  [[nodiscard]] numerics::MmaInstruction numbers() const {
    numerics::MmaInstruction result;
    result.kind = numerics::InstructionKind::kWgmma;
    result.shape = {isa::kGroupRows, n, mma().k()};
    result.a = formats.a;
    result.b = formats.b;
    result.c = result.d = formats.sum;
    result.sparse = true;
    return result;
  }
};

/// Byte of element `element` along k of row `row` of an operand of `rows` rows: pieces of 16 bytes,
/// eight rows of one behind each other.
int byte_of(int row, int element, int element_bytes, int rows) {
  const int along = element * element_bytes;
  return along / 16 * 16 * rows + row * 16 + along % 16;
}

/// Shared memory is a copy of buffer S, where both operands of each step lie; buffer E holds a word
/// of metadata for each thread and step, D takes the sums, register by register.
isa::KernelLaunch sparse_launch(const SparseProduct& product) {
  isa::WarpProgram program;
  const auto access = [&program](isa::MemoryAccess added) {
    program.accesses.push_back(std::move(added));
    return static_cast<int>(program.accesses.size()) - 1;
  };
  const auto emit = [&program](const Instruction& added) { program.instructions.push_back(added); };
  const auto of_thread = [](int buffer, std::int64_t first, int bytes) {
    const isa::Address address{
        {first, {{Variable::kLane, bytes}, {Variable::kWarp, bytes * isa::kLanes}}}};
    return isa::MemoryAccess{.buffer = buffer, .global = address, .shared = address};
  };
  const int bytes = kSteps * product.step_bytes();
  for (int at = 0; at < bytes; at += 16 * kThreads) {
    const int number = access(of_thread(0, at, 16));
    emit({.opcode = Opcode::kLdg128, .dst = kCopied, .access = number});
    Instruction store{.opcode = Opcode::kSts128, .access = number};
    store.src[1] = kCopied;
    emit(store);
  }
  const auto load_metadata = [&](int step, int reg) {
    emit({.opcode = Opcode::kLdg32,
          .dst = static_cast<isa::Register>(reg),
          .access = access(of_thread(1, step * kThreads * 4, 4))});
  };
  for (int step = 0; step < kSteps; ++step) load_metadata(step, kMetadata + step);
  const int sums = isa::opcode_info(product.opcode()).dst_registers;
  for (int r = 0; r < sums; r += 2)
    emit({.opcode = Opcode::kCs2r, .dst = static_cast<isa::Register>(kSparseSums + r)});
  for (int step = 0; product.a_in_registers && step < kSteps; ++step)
    for (int i = 0; i < 4; ++i)
      emit({.opcode = Opcode::kLdg32,
            .dst = static_cast<isa::Register>(kStoredA + 4 * step + i),
            .access = access({.buffer = 0,
                              .global = {{step * product.step_bytes() + i / 2 * 1024 + i % 2 * 128,
                                          {{Variable::kWarp, 256},
                                           {Variable::kLane, 16, 4},
                                           {Variable::kLane, 4, 1, 4}}}}})});
  emit(plain(Opcode::kFenceViewAsync));
  emit(plain(Opcode::kBarSync));
  emit(plain(Opcode::kWarpgroupArrive));
  if (product.fault == SparseFault::kMetadataTooLate) load_metadata(0, kMetadata);
  for (int step = 0; step < kSteps; ++step) {
    const int start = step * product.step_bytes();
    isa::MatrixOperands operands;
    operands.a = {.start = {start}, .leading_bytes = 16 * isa::kGroupRows};
    operands.b = {.start = {start + product.a_bytes()}, .leading_bytes = 16 * product.n};
    Instruction multiply{.opcode = product.opcode(), .dst = kSparseSums};
    if (product.a_in_registers) multiply.src[0] = static_cast<isa::Register>(kStoredA + 4 * step);
    multiply.src[2] = kSparseSums;
    multiply.src[3] = static_cast<isa::Register>(kMetadata + step);
    multiply.immediate = (step + 1 == kSteps ? isa::kClosesGroup : 0) | product.selector
                                                                            << isa::kSelectorShift;
    multiply.access = static_cast<int>(program.async.size());
    program.async.emplace_back(operands);
    emit(multiply);
  }
  if (product.fault == SparseFault::kMetadataOverwritten) load_metadata(1, kMetadata);
  emit(plain(Opcode::kWarpgroupDepbar, 0));
  for (int r = 0; r < sums; ++r) {
    Instruction store{.opcode = Opcode::kStg32,
                      .access = access(of_thread(2, r * kThreads * 4, 4))};
    store.src[1] = static_cast<isa::Register>(kSparseSums + r);
    emit(store);
  }
  isa::KernelLaunch launch = small_launch(isa::kGroupWarps, program);
  launch.registers_per_thread = 224;
  launch.shared_bytes_per_cta = (bytes + 16 * kThreads - 1) / (16 * kThreads) * 16 * kThreads;
  launch.buffers = {{"S", 0, 1 << 17, true},
                    {"E", 1 << 20, kSteps * kThreads * 4, true},
                    {"D", 1 << 21, static_cast<std::uint64_t>(sums) * kThreads * 4, false}};
  return launch;
}

/// Bits of a finite number of `type`, and not too large.
std::uint64_t finite_bits(std::mt19937& random, numerics::ElementType type) {
  const auto bits = static_cast<std::uint32_t>(random());
  switch (type) {
    case numerics::ElementType::kFp16:
      return bits & 0xbfffU;
    case numerics::ElementType::kBf16:
      return (bits & 0x80ffU) | 0x3f00U;
    case numerics::ElementType::kTf32:
      return (bits & 0x80ffe000U) | 0x3f000000U;
    case numerics::ElementType::kInt8:
      return bits & 0xffU;
    default:
      return bits & 0xbfU;
  }
}

/// Runs it on random numbers and metadata. What is wrong with D, or the refusal.
std::string run_sparse(const SparseProduct& product, std::vector<Race>& races) {
  const isa::KernelLaunch launch = sparse_launch(product);
  GlobalMemory memory(launch);
  std::mt19937 random(7);
  const numerics::MmaInstruction mma = product.numbers();
  const auto arithmetic = numerics::arithmetic_of(mma, numerics::Generation::kHopper);
  if (!arithmetic.has_value()) return arithmetic.refusal().reason;
  const bool is_tf32 = mma.a == numerics::ElementType::kTf32;
  constexpr std::array<std::uint8_t, 6> kPairs{0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
  const numerics::MetadataLayout layout(
      mma, product.selector < numerics::MetadataLayout::selectors(mma) ? product.selector : 0);
  const auto operand = [&](int first, int rows, int columns, numerics::ElementType type) {
    std::vector<std::vector<std::uint64_t>> lines(static_cast<std::size_t>(rows));
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) {
        const std::uint64_t bits = finite_bits(random, type);
        lines[static_cast<std::size_t>(row)].push_back(bits);
        const int at = first + byte_of(row, column, product.element_bytes(), rows);
        std::memcpy(&memory.buffer("S")[static_cast<std::size_t>(at)], &bits,
                    static_cast<std::size_t>(product.element_bytes()));
      }
    return lines;
  };
  std::vector<std::uint64_t> want(static_cast<std::size_t>(isa::kGroupRows * product.n));
  for (int step = 0; step < kSteps; ++step) {
    const int first = step * product.step_bytes();
    const auto a = operand(first, isa::kGroupRows, product.mma().stored_k(), mma.a);
    const auto b = operand(first + product.a_bytes(), product.n, mma.shape.k, mma.b);
    std::vector<std::uint32_t> words(kThreads);
    for (int row = 0; row < isa::kGroupRows; ++row) {
      std::vector<std::uint8_t> nibbles;
      for (int chunk = 0; chunk < layout.chunks_per_row(); ++chunk) {
        const std::uint8_t nibble =
            is_tf32 ? (random() % 2 == 0 ? 0x4 : 0xe) : kPairs[random() % kPairs.size()];
        nibbles.push_back(nibble);
        const auto slot = layout.slot({row, chunk});
        words[static_cast<std::size_t>(slot.lane)] |= std::uint32_t{nibble} << 4 * slot.nibble;
      }
      const auto positions = numerics::selected_positions(mma.a, nibbles, /*ordered=*/true);
      for (int column = 0; column < product.n; ++column) {
        std::uint64_t& sum = want[static_cast<std::size_t>(row * product.n + column)];
        sum = numerics::sparse_mma(arithmetic.value(), a[static_cast<std::size_t>(row)],
                                   positions.value(), b[static_cast<std::size_t>(column)], sum);
      }
    }
    std::memcpy(&memory.buffer("E")[static_cast<std::size_t>(step * kThreads * 4)], words.data(),
                words.size() * 4);
  }
  const auto result = execute(launch, numerics::Generation::kHopper, memory);
  if (!result.has_value()) return result.refusal().reason;
  races = result.value().races;
  const bool is_half = numerics::bits(mma.d) == 16;
  for (int row = 0; row < isa::kGroupRows; ++row)
    for (int column = 0; column < product.n; ++column) {
      const int thread = row / 16 * isa::kLanes + row % 8 * 4 + column % 8 / 2;
      const int half = row / 8 % 2;
      const int reg = is_half ? column / 8 * 2 + half : column / 8 * 4 + 2 * half + column % 2;
      std::uint32_t got = 0;
      std::memcpy(&got, &memory.buffer("D")[static_cast<std::size_t>(reg * kThreads + thread) * 4],
                  4);
      if (is_half) got = got >> 16 * (column % 2) & 0xffffU;
      const std::uint64_t right = want[static_cast<std::size_t>(row * product.n + column)];
      if (got != right)
        return "D[" + std::to_string(row) + "][" + std::to_string(column) + "] is " +
               std::to_string(got) + ", not " + std::to_string(right);
    }
  return {};
}

class SparseGroupFormats : public ::testing::TestWithParam<isa::GroupFormats> {};

TEST_P(SparseGroupFormats, EqualTheArithmeticOfSparseWgmma) {
  const int selectors =
      numerics::MetadataLayout::selectors(SparseProduct{.formats = GetParam()}.numbers());
  for (const bool a_in_registers : {false, true})
    for (int selector = 0; selector < selectors; ++selector) {
      std::vector<Race> races;
      EXPECT_EQ(run_sparse({.formats = GetParam(),
                            .n = 24,
                            .a_in_registers = a_in_registers,
                            .selector = selector},
                           races),
                "")
          << a_in_registers << " " << selector;
      EXPECT_THAT(races, IsEmpty());
    }
}

INSTANTIATE_TEST_SUITE_P(All, SparseGroupFormats, ::testing::ValuesIn(isa::kGroupFormats));

TEST(SparseGroup, IsAsWideAsADenseOne) {
  for (const int n : {8, 256}) {
    std::vector<Race> races;
    EXPECT_EQ(run_sparse({.n = n}, races), "") << n;
  }
}

TEST(SparseGroup, RacesOnItsMetadata) {
  std::vector<Race> races;
  run_sparse({.fault = SparseFault::kMetadataTooLate}, races);
  EXPECT_TRUE(has_race(races, RaceKind::kMissingGroupFence));
  run_sparse({.fault = SparseFault::kMetadataOverwritten}, races);
  EXPECT_TRUE(has_race(races, RaceKind::kWriteToOpenRegister));
}

TEST(SparseGroup, RefusesASelectorThatItsTypeLacks) {
  std::vector<Race> races;
  EXPECT_THAT(run_sparse({.selector = 2}, races), HasSubstr("sparsity selector 2 is not in 0..1"));
}

}  // namespace
}  // namespace tcsim::functional::testing
