#include "tests/rtl/warp_cases.hpp"

#include <algorithm>
#include <string>

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
