#include "tests/rtl/warp_cases.hpp"

#include <algorithm>
#include <string>

#include "models/isa/group_mma.hpp"
#include "models/numerics/execute.hpp"
#include "models/sm/params.hpp"
#include "sim/config/load.hpp"

namespace tcsim::rtl {

namespace {

using numerics::ElementType;
using numerics::MmaExecutor;
using numerics::MmaInstruction;

/// A random register: FP16 pairs of ordinary size now and then, any bits else.
RegisterImage random_register(Random& random) {
  const bool ordinary = random.one_in(2);
  RegisterImage image;
  for (std::uint32_t& lane : image) {
    lane = static_cast<std::uint32_t>(random.bits());
    if (ordinary) lane = (lane & 0x8fff8fffU) | 0x30003000U;
  }
  return image;
}

std::vector<RegisterImage> random_registers(Random& random, int count) {
  std::vector<RegisterImage> registers(static_cast<std::size_t>(count));
  for (RegisterImage& image : registers) image = random_register(random);
  return registers;
}

/// Lane-major, as MmaExecutor wants it.
std::vector<std::uint32_t> lane_major(const std::vector<RegisterImage>& registers) {
  std::vector<std::uint32_t> words;
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (const RegisterImage& image : registers) words.push_back(image[lane]);
  return words;
}

std::vector<RegisterImage> images(const std::vector<std::uint32_t>& words) {
  std::vector<RegisterImage> registers(words.size() / 32);
  for (std::size_t lane = 0; lane < 32; ++lane)
    for (std::size_t i = 0; i < registers.size(); ++i)
      registers[i][lane] = words[lane * registers.size() + i];
  return registers;
}

std::vector<RegisterImage> execute(const MmaInstruction& instruction,
                                   numerics::Generation generation, const WarpMma& mma,
                                   const std::vector<RegisterImage>& c) {
  MmaExecutor executor =
      MmaExecutor::create(instruction, generation, {}, MmaExecutor::Path::kPlain).value();
  const auto a = lane_major(mma.a);
  const auto b = lane_major(mma.b);
  const auto c_words = lane_major(c);
  return images(
      executor.execute({.a = a, .b = b, .b_matrix = {}, .c = c_words, .metadata = {}}).value());
}

constexpr AmpereCase kAmpereCases[] = {
    {"HMMA.16816.F32", ElementType::kFp16, ElementType::kFp32, {16, 8, 16}, true},
    {"HMMA.16816.F16", ElementType::kFp16, ElementType::kFp16, {16, 8, 16}, true},
    {"HMMA.16816.F32.BF16", ElementType::kBf16, ElementType::kFp32, {16, 8, 16}, true},
    {"HMMA.1688.F32", ElementType::kFp16, ElementType::kFp32, {16, 8, 8}, false},
    {"HMMA.1688.F16", ElementType::kFp16, ElementType::kFp16, {16, 8, 8}, false},
    {"HMMA.1688.F32.BF16", ElementType::kBf16, ElementType::kFp32, {16, 8, 8}, false},
    {"HMMA.1688.F32.TF32", ElementType::kTf32, ElementType::kFp32, {16, 8, 8}, true},
    {"HMMA.1684.F32.TF32", ElementType::kTf32, ElementType::kFp32, {16, 8, 4}, false},
    {"IMMA.16832.S8.S8", ElementType::kInt8, ElementType::kInt32, {16, 8, 32}, true},
    {"IMMA.16816.S8.S8", ElementType::kInt8, ElementType::kInt32, {16, 8, 16}, false},
};

constexpr HopperCase kHopperCases[] = {
    {ElementType::kFp16, ElementType::kFp16, ElementType::kFp16},
    {ElementType::kFp16, ElementType::kFp16, ElementType::kFp32},
    {ElementType::kBf16, ElementType::kBf16, ElementType::kFp32},
    {ElementType::kTf32, ElementType::kTf32, ElementType::kFp32},
    {ElementType::kE4m3, ElementType::kE4m3, ElementType::kFp16},
    {ElementType::kE4m3, ElementType::kE4m3, ElementType::kFp32},
    {ElementType::kE4m3, ElementType::kE5m2, ElementType::kFp32},
    {ElementType::kE5m2, ElementType::kE4m3, ElementType::kFp32},
    {ElementType::kE5m2, ElementType::kE5m2, ElementType::kFp16},
    {ElementType::kE5m2, ElementType::kE5m2, ElementType::kFp32},
    {ElementType::kInt8, ElementType::kInt8, ElementType::kInt32},
};

int sum_registers(const HopperCase& of, int n) {
  return of.accumulator == ElementType::kFp16 ? n / 4 : n / 2;
}

/// k x n patterns out of the registers of B: two for each eight columns, 128 bits of a column in
/// the four lanes of a row of each.
std::vector<std::uint32_t> matrix_of_b(const WarpMma& mma, int bits) {
  const std::size_t n = 4 * mma.b.size();
  const auto per_word = static_cast<std::size_t>(32 / bits);
  std::vector<std::uint32_t> matrix(8 * per_word * n);
  for (std::size_t column = 0; column < n; ++column)
    for (std::size_t k = 0; k < 8 * per_word; ++k) {
      const std::size_t word = k / per_word;
      const RegisterImage& image = mma.b[2 * (column / 8) + word / 4];
      matrix[k * n + column] = (image[4 * (column % 8) + word % 4] >>
                                (static_cast<std::size_t>(bits) * (k % per_word))) &
                               (bits == 32 ? ~0U : (1U << bits) - 1);
    }
  return matrix;
}

constexpr int kPatience = 2000;

/// Compares results in order with what was expected.
WarpComparison compare(const std::vector<WarpUnit::Result>& results,
                       const std::vector<Registers>& expected) {
  WarpComparison comparison;
  for (std::size_t i = 0; i < expected.size(); ++i, ++comparison.compared)
    if (i >= results.size() || results[i].d != expected[i]) {
      comparison.agrees = false;
      break;
    }
  return comparison;
}

std::string wrong_interval(const char* opcode, const std::vector<WarpUnit::Result>& results,
                           std::int64_t interval) {
  for (std::size_t i = 1; i < results.size(); ++i) {
    const std::int64_t accepted = results[i].accepted - results[i - 1].accepted;
    const std::int64_t finished = results[i].finished - results[i - 1].finished;
    if (accepted != interval || finished != interval)
      return std::string(opcode) + ": " + std::to_string(accepted) + " cycles to the next, " +
             std::to_string(finished) + " between answers, machine " + std::to_string(interval);
  }
  return results.size() < 2 ? std::string(opcode) + ": no answer" : "";
}

void clock(WarpUnit& unit, bool result_ready, std::vector<WarpUnit::Result>& results) {
  unit.clock(result_ready);
  for (auto& result : unit.take_finished()) results.push_back(std::move(result));
}

/// Offers `mma` after random stalls; false if the unit never takes it.
bool offer(WarpUnit& unit, const WarpMma& mma, Random& random,
           std::vector<WarpUnit::Result>& results) {
  for (int waited = 0; !unit.can_accept() || random.one_in(4); ++waited) {
    if (waited == kPatience) return false;
    clock(unit, /*result_ready=*/!random.one_in(3), results);
  }
  unit.accept(mma);
  clock(unit, /*result_ready=*/!random.one_in(3), results);
  return true;
}

}  // namespace

std::span<const AmpereCase> ampere_cases() { return kAmpereCases; }

WarpMma random_mma(const AmpereCase& of, Random& random) {
  WarpMma mma;
  mma.input = of.input;
  mma.accumulator = of.accumulator;
  mma.long_k = of.long_k;
  mma.a = random_registers(random, of.long_k ? 4 : 2);
  mma.b = random_registers(random, of.long_k ? 2 : 1);
  mma.c = random_registers(random, of.accumulator == ElementType::kFp16 ? 2 : 4);
  return mma;
}

Registers model(const AmpereCase& of, const WarpMma& mma) {
  MmaInstruction instruction;
  instruction.shape = of.shape;
  instruction.a = instruction.b = of.input;
  instruction.c = instruction.d = of.accumulator;
  return execute(instruction, numerics::Generation::kAmpere, mma, mma.c);
}

WarpMma random_step(int step, ElementType accumulator, Random& random) {
  WarpMma mma;
  mma.accumulator = accumulator;
  mma.step = step;
  mma.c = random_registers(random, 2);
  if (step == 0) {
    mma.a_column_major = random.one_in(2);
    mma.b_row_major = random.one_in(2);
    mma.a = random_registers(random, 2);
    mma.b = random_registers(random, 2);
  }
  return mma;
}

/// The D pair of `step`, of the whole m8n8k4 with its other C registers zero.
Registers model_step(const WarpMma& first, const WarpMma& step) {
  MmaInstruction instruction;
  instruction.shape = {8, 8, 4};
  instruction.a_layout = first.a_column_major ? numerics::Layout::kColumn : numerics::Layout::kRow;
  instruction.b_layout = first.b_row_major ? numerics::Layout::kRow : numerics::Layout::kColumn;
  instruction.c = instruction.d = first.accumulator;
  const bool fp16 = first.accumulator == ElementType::kFp16;
  std::vector<RegisterImage> c(fp16 ? 4 : 8);
  const std::ptrdiff_t pair = std::ptrdiff_t{2} * step.step;
  std::copy(step.c.begin(), step.c.end(), c.begin() + pair);
  const auto d = execute(instruction, numerics::Generation::kVolta, first, c);
  return {d.begin() + pair, d.begin() + pair + 2};
}

WarpComparison compare_ampere(WarpUnit& unit, int instructions, std::uint64_t seed) {
  Random random(seed);
  std::vector<Registers> expected;
  std::vector<WarpUnit::Result> results;
  for (int i = 0; i < instructions; ++i) {
    const AmpereCase& of = kAmpereCases[random.between(0, std::size(kAmpereCases) - 1)];
    const WarpMma mma = random_mma(of, random);
    expected.push_back(model(of, mma));
    if (!offer(unit, mma, random, results)) break;
  }
  drain(unit, results);
  return compare(results, expected);
}

std::span<const HopperCase> hopper_cases() { return kHopperCases; }

WarpMma random_group_mma(const HopperCase& of, int n, Random& random) {
  WarpMma mma;
  mma.input = of.a;
  mma.mixed_fp8 = of.a != of.b;
  mma.accumulator = of.accumulator;
  mma.a = random_registers(random, 4);
  mma.b = random_registers(random, n / 4);
  if (!random.one_in(4)) mma.c = random_registers(random, sum_registers(of, n));
  return mma;
}

/// The first 16 of 64 rows; the others are zero.
Registers model(const HopperCase& of, const WarpMma& mma) {
  constexpr std::size_t kWarps = 4;
  MmaInstruction instruction;
  instruction.kind = numerics::InstructionKind::kWgmma;
  const int n = static_cast<int>(mma.b.size()) * 4;
  instruction.shape = {64, n, 256 / numerics::bits(of.a)};
  instruction.a = of.a;
  instruction.b = of.b;
  instruction.c = instruction.d = of.accumulator;
  MmaExecutor executor =
      MmaExecutor::create(instruction, numerics::Generation::kHopper, {}, MmaExecutor::Path::kPlain)
          .value();
  const auto of_group = [](std::vector<std::uint32_t> words) {
    words.resize(kWarps * words.size());
    return words;
  };
  const auto a = of_group(lane_major(mma.a));
  const auto b = matrix_of_b(mma, numerics::bits(of.b));
  const Registers zeros(static_cast<std::size_t>(sum_registers(of, n)));
  const auto c = of_group(lane_major(mma.c.empty() ? zeros : mma.c));
  auto d = executor.execute({.a = a, .b = {}, .b_matrix = b, .c = c, .metadata = {}}).value();
  d.resize(d.size() / kWarps);
  return images(d);
}

WarpComparison compare_hopper(WarpUnit& unit, int instructions, std::uint64_t seed) {
  Random random(seed);
  std::vector<Registers> expected;
  std::vector<WarpUnit::Result> results;
  for (int i = 0; i < instructions; ++i) {
    const HopperCase& of = kHopperCases[random.between(0, std::size(kHopperCases) - 1)];
    const int n = 8 * (random.one_in(16) ? random.between(1, 32) : random.between(1, 4));
    const WarpMma mma = random_group_mma(of, n, random);
    expected.push_back(model(of, mma));
    if (!offer(unit, mma, random, results)) break;
  }
  drain(unit, results);
  return compare(results, expected);
}

WarpComparison compare_volta(WarpUnit& unit, int instructions, std::uint64_t seed) {
  Random random(seed);
  std::vector<Registers> expected;
  std::vector<WarpUnit::Result> results;
  for (int i = 0; i < instructions; ++i) {
    const ElementType accumulator = random.one_in(2) ? ElementType::kFp16 : ElementType::kFp32;
    const WarpMma first = random_step(0, accumulator, random);
    for (int step = 0; step < (accumulator == ElementType::kFp16 ? 2 : 4); ++step) {
      const WarpMma mma = step == 0 ? first : random_step(step, accumulator, random);
      expected.push_back(model_step(first, mma));
      if (!offer(unit, mma, random, results)) return compare(results, expected);
    }
  }
  drain(unit, results);
  return compare(results, expected);
}

std::vector<WarpUnit::Result> run_back_to_back(WarpUnit& unit, int count,
                                               const std::function<WarpMma(int)>& make) {
  std::vector<WarpUnit::Result> results;
  for (int i = 0; i < count;) {
    if (unit.can_accept()) unit.accept(make(i++));
    clock(unit, /*result_ready=*/true, results);
  }
  drain(unit, results);
  return results;
}

std::string wrong_interval_ampere(WarpUnit& unit) {
  Random random(8);
  for (const AmpereCase& of : kAmpereCases) {
    const auto results =
        run_back_to_back(unit, 12, [&](int /*i*/) { return random_mma(of, random); });
    std::string wrong =
        wrong_interval(of.opcode, results, machine_timing("a100", of.opcode).issue_interval);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string wrong_interval_volta(WarpUnit& unit) {
  Random random(8);
  for (const ElementType accumulator : {ElementType::kFp16, ElementType::kFp32}) {
    const bool fp16 = accumulator == ElementType::kFp16;
    const char* const opcode = fp16 ? "HMMA.884.F16.F16.STEP0" : "HMMA.884.F32.F32.STEP0";
    const auto results =
        run_back_to_back(unit, 12, [&](int i) { return random_step(i % 2, accumulator, random); });
    std::string wrong =
        wrong_interval(opcode, results, machine_timing("v100", opcode).issue_interval);
    if (!wrong.empty()) return wrong;
  }
  return "";
}

std::string wrong_interval_hopper(WarpUnit& unit) {
  Random random(8);
  const auto table = sm::tensor_unit_timing(config::load_machine("h100").sm);
  for (const HopperCase& of : kHopperCases)
    for (const int n : {8, 32, 256}) {
      const auto formats =
          std::ranges::find_if(isa::kGroupFormats, [&](const isa::GroupFormats& row) {
            return row.a == of.a && row.b == of.b && row.sum == of.accumulator;
          });
      // QGMMA into FP16 is none of the instruction table; it takes as long as into FP32.
      const isa::GroupFormats& known =
          formats == isa::kGroupFormats.end() ? isa::kGroupFormats[4] : *formats;
      const isa::Opcode opcode = isa::group_mma_opcode(known, n, false).value();
      const auto results =
          run_back_to_back(unit, 4, [&](int /*i*/) { return random_group_mma(of, n, random); });
      const std::string name(isa::opcode_info(opcode).mnemonic);
      std::string wrong = wrong_interval(name.c_str(), results,
                                         table[static_cast<std::size_t>(opcode)].issue_interval);
      if (!wrong.empty()) return wrong;
    }
  return "";
}

isa::OpTiming machine_timing(const char* machine, const char* opcode) {
  const auto table = sm::timing_table(config::load_machine(machine).sm);
  return table[static_cast<std::size_t>(isa::parse_opcode(opcode).value())];
}

bool drain(WarpUnit& unit, std::vector<WarpUnit::Result>& results) {
  for (int waited = 0; unit.in_flight() > 0; ++waited) {
    if (waited == kPatience) return false;
    clock(unit, /*result_ready=*/true, results);
  }
  return true;
}

}  // namespace tcsim::rtl
