// Experiments on tensor-core arithmetic that no published source settles: sign of an
// underflow, floor of the exponent, zeros next to huge factors, clamping, sparsity, NaN of FP64,
// flags of wgmma, emulated instructions. One row for each result.
//
//   questions --out FILE.csv
#include <cstdio>

#include "scripts/gpu/bits/mma_fp64.cuh"
#include "scripts/gpu/bits/mma_sparse.cuh"
#include "scripts/gpu/bits/mma_volta.cuh"
#include "scripts/gpu/bits/real_vectors.hpp"
#include "scripts/gpu/bits/run_vectors.cuh"
#include "scripts/gpu/bits/wgmma.cuh"
#include "scripts/gpu/common/csv_file.hpp"
#include "scripts/gpu/common/device.cuh"
#include "scripts/gpu/common/options.hpp"
#include "scripts/gpu/common/program.hpp"

namespace tcsim::measure {
namespace {

using Patterns = std::vector<std::uint64_t>;

class Answers {
 public:
  Answers(const std::string& path, std::string gpu)
      : gpu_(std::move(gpu)),
        file_(path, {"gpu", "question", "experiment", "instruction", "a", "b", "c", "d"}) {}

  /// The operands are in the last elements of k, where no later block of zeros changes the
  /// result.
  template <class Mma>
  void at_the_end(const char* question, const std::string& experiment,
                  const Instruction& instruction, const Patterns& a, const Patterns& b,
                  std::uint64_t c) {
    ask<Mma>(question, experiment, instruction, filled(a, instruction.k, true),
             filled(b, instruction.k, true), c);
  }

  template <class Mma>
  void at_the_start(const char* question, const std::string& experiment,
                    const Instruction& instruction, const Patterns& a, const Patterns& b,
                    std::uint64_t c) {
    ask<Mma>(question, experiment, instruction, filled(a, instruction.k, false),
             filled(b, instruction.k, false), c);
  }

  void row(const char* question, const std::string& experiment, const std::string& instruction,
           const std::string& a, const std::string& b, const std::string& c, const std::string& d) {
    stop_if_interrupted();
    file_.row({gpu_, question, experiment, instruction, a, b, c, d});
  }

 private:
  static Patterns filled(Patterns elements, int k, bool at_end) {
    const std::size_t missing = static_cast<std::size_t>(k) - elements.size();
    elements.insert(at_end ? elements.begin() : elements.end(), missing, 0);
    return elements;
  }

  template <class Mma>
  void ask(const char* question, const std::string& experiment, const Instruction& instruction,
           const Patterns& a, const Patterns& b, std::uint64_t c) {
    const auto d = results<Mma>(instruction, {{"", a, b, c}});
    row(question, experiment, instruction.words(), hex(a, instruction.input_bits()),
        hex(b, instruction.input_bits()), hex(c, instruction.accumulator_bits()),
        hex(d[0], instruction.accumulator_bits()));
  }

  std::string gpu_;
  CsvFile file_;
};

/// 2^-25 and 2^-p with c = 0: the last p that still rounds up gives the floor of the exponent.
template <class Mma>
void ask_half_floor(Answers& answers, const char* question, const Instruction& instruction) {
  for (int p = 41; p <= 48; ++p)  // a and b are subnormal, b the smallest, 2^-24
    answers.at_the_end<Mma>(question, "2^-25 and 2^-" + std::to_string(p), instruction,
                            {0x1000, std::uint64_t{1} << (48 - p)}, {0x0400, 0x0001}, 0);
}

template <class Mma>
void ask_wide_floor(Answers& answers, const Instruction& instruction) {
  const bool wide = instruction.input == &kTf32;
  const auto word = [&](std::uint64_t half) { return wide ? half << 16 : half; };
  // 63 * 2^-155 and four terms of 1.98 * 2^-157, then the terms from 2^-156 to 2^-160.
  for (int shift = -1; shift <= 3; ++shift) {
    const std::uint64_t small = word(0x237e - static_cast<std::uint64_t>(shift) * 0x80);
    const std::string what = "63*2^-155 and terms of 1.98*2^-" + std::to_string(157 + shift);
    const int terms = std::min(4, instruction.k - 1);
    Patterns a(static_cast<std::size_t>(terms) + 1, word(0x0d80));
    Patterns b(static_cast<std::size_t>(terms) + 1, small);
    b[0] = word(0x26fc);
    answers.at_the_end<Mma>("Q10", what, instruction, a, b, 0);
  }
}

template <class Mma>
void ask_zero_times_huge(Answers& answers, const Instruction& instruction) {
  const int up = instruction.input == &kTf32 ? 16 : 0;
  const Patterns zero_and_one{0, std::uint64_t{0x3f80} << up};
  const Patterns huge_and_one{std::uint64_t{0x7f00} << up, std::uint64_t{0x3f80} << up};
  answers.at_the_end<Mma>("Q4", "0 * 2^127 + 1 * 1", instruction, zero_and_one, huge_and_one,
                          0x35800000);
  answers.at_the_end<Mma>("Q4", "2^127 * 0 + 1 * 1", instruction, huge_and_one, zero_and_one,
                          0x35800000);
}

void ask_dense([[maybe_unused]] Answers& answers) {
#if TC_SM >= 75
  const Instruction half8{"mma", &kF16, &kF16, 8};
  answers.at_the_end<MmaF16F16K8>("Q1", "-2^-38", half8, {0x8001}, {0x0400}, 0);
  ask_half_floor<MmaF16F16K8>(answers, "Q2", half8);
#endif
#if TC_SM >= 80
  const Instruction half{"mma", &kF16, &kF16, 16};
  const Instruction bf16{"mma", &kBf16, &kF32, 16};
  const Instruction tf32{"mma", &kTf32, &kF32, 8};
  answers.at_the_end<MmaF16F16K16>("Q1", "-2^-38", half, {0x8001}, {0x0400}, 0);
  answers.at_the_end<MmaBf16F32K16>("Q1", "-2^-153", bf16, {0x8080}, {0x3200}, 0);
  answers.at_the_end<MmaTf32F32K8>("Q1", "-2^-153", tf32, {0x80800000}, {0x32000000}, 0);
  ask_half_floor<MmaF16F16K16>(answers, "Q2", half);
  ask_zero_times_huge<MmaBf16F32K16>(answers, bf16);
  ask_zero_times_huge<MmaTf32F32K8>(answers, tf32);
  ask_wide_floor<MmaBf16F32K16>(answers, bf16);
  ask_wide_floor<MmaTf32F32K8>(answers, tf32);
  const Instruction integer{"mma", nullptr, nullptr, 32};
  for (const int s : {1, 2, 4, 8, 16}) {
    Patterns a(32), b(32);
    a[0] = 0x10;
    a[static_cast<std::size_t>(s)] = 0xf0;
    b[0] = b[static_cast<std::size_t>(s)] = 0x20;
    answers.at_the_start<MmaS8S32K32Sat>("Q5", "+512 at k 0, -512 at k " + std::to_string(s),
                                         integer, a, b, 0x7fffff00);
  }
#endif
}

/// NaN and order of the sums of FP64; the products that show the order are at `places` of k.
template <class Mma>
void ask_fp64_instruction(Answers& answers, const Instruction& fp64, const int (&places)[3]) {
  const std::uint64_t one = kF64.one();
  const std::uint64_t payload = 0x7ff4000000012345;
  answers.at_the_start<Mma>("Q8", "a NaN with payload", fp64, {payload}, {one}, 0);
  answers.at_the_start<Mma>("Q8", "b NaN with payload", fp64, {one}, {payload}, 0);
  answers.at_the_start<Mma>("Q8", "c NaN with payload", fp64, {one}, {one}, payload);
  answers.at_the_start<Mma>("Q8", "infinity * 0", fp64, {kF64.infinity(false)}, {0}, one);
  const std::uint64_t big = kF64.power(53);
  const std::uint64_t terms[3] = {big, one, kF64.negated(big)};
  const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const auto& order : orders) {
    Patterns a(static_cast<std::size_t>(fp64.k)), b(static_cast<std::size_t>(fp64.k), one);
    for (int i = 0; i < 3; ++i) a[static_cast<std::size_t>(places[i])] = terms[order[i]];
    answers.at_the_start<Mma>("Q8", "2^53, 1, -2^53 in every order", fp64, a, b, 0);
  }
}

void ask_fp64([[maybe_unused]] Answers& answers) {
#if TC_SM >= 80
  ask_fp64_instruction<MmaF64K4>(answers, {"mma", &kF64, &kF64, 4}, {0, 1, 2});
#endif
#if TC_SM == 90
  ask_fp64_instruction<MmaF64K8>(answers, {"mma", &kF64, &kF64, 8}, {0, 3, 6});
  ask_fp64_instruction<MmaF64K16>(answers, {"mma", &kF64, &kF64, 16}, {0, 5, 15});
  ask_fp64_instruction<MmaF64K16>(answers, {"mma", &kF64, &kF64, 16}, {3, 4, 8});
#endif
}

void ask_sparse([[maybe_unused]] Answers& answers) {
#if TC_SM >= 80
  constexpr std::uint64_t kTiny = 0x1800;   // 2^-9
  constexpr std::uint64_t kLarge = 0x5800;  // 2^7
  const auto run = [&](const char* question, const std::string& what, int large, bool nan) {
    Patterns a(16, kTiny), b(32, 0);
    for (std::size_t i = 0; i < 16; ++i) b[i / 2 * 4 + i % 2] = kTiny;
    a[static_cast<std::size_t>(large)] = kLarge;
    b[static_cast<std::size_t>(large / 2 * 4 + large % 2)] = kLarge;
    if (nan) b[2] = kF16.nan();  // next to the stored elements of the first four
    const DeviceArray<std::uint32_t> row(pack(a, 16));
    const DeviceArray<std::uint32_t> column(pack(b, 16));
    DeviceArray<std::uint32_t> d(1);
    run_sparse<<<1, 32>>>(row.get(), column.get(), -16384.0f, d.get());
    finish("sparse instruction");
    answers.row(question, what, "mma.sp_f16_f32_k32", hex(a, 16), hex(b, 16), "c6800000",
                hex(d.read()[0], 32));
  };
  for (int j = 0; j < 16; ++j)
    run("Q6", "2^14 at stored element " + std::to_string(j) + ", 2^-18 at the others", j, false);
  run("Q7", "NaN of B at a row that is not selected", 0, true);
#endif
}

#if TC_SM == 90
/// Many vectors through two K steps, as one group and as two: how many results differ, and the
/// first that does.
template <class Wgmma>
void ask_two_steps(Answers& answers, const Instruction& step) {
  constexpr long kVectors = 32768;
  Instruction both = step;
  both.k = 2 * step.k;
  RealVectors random(*both.input, *both.accumulator, both.k, 9);
  std::vector<Vector> vectors;
  for (long i = 0; i < kVectors; ++i) vectors.push_back(random.next());
  const auto together = results<TwoSteps<Wgmma, true>>(both, vectors);
  const auto apart = results<TwoSteps<Wgmma, false>>(both, vectors);
  long differ = 0;
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    if (together[i] == apart[i] || differ++ > 0) continue;
    for (const bool one_group : {true, false})
      answers.row("Q9", one_group ? "two steps in one group" : "the same steps apart", both.words(),
                  hex(vectors[i].a, both.input_bits()), hex(vectors[i].b, both.input_bits()),
                  hex(vectors[i].c, both.accumulator_bits()),
                  hex((one_group ? together : apart)[i], both.accumulator_bits()));
  }
  answers.row(
      "Q9", "two steps in one group and apart, results that differ of " + std::to_string(kVectors),
      both.words(), "", "", "", std::to_string(differ));
}
#endif

void ask_wgmma([[maybe_unused]] Answers& answers) {
#if TC_SM == 90
  const Instruction half{"wgmma", &kF16, &kF16, 16};
  const Instruction single{"wgmma", &kF16, &kF32, 16};
  const Instruction bf16{"wgmma", &kBf16, &kF32, 16};
  const Instruction tf32{"wgmma", &kTf32, &kF32, 8};
  answers.at_the_end<WgmmaF16F16>("Q1", "-2^-38", half, {0x8001}, {0x0400}, 0);
  answers.at_the_end<WgmmaBf16F32>("Q1", "-2^-153", bf16, {0x8080}, {0x3200}, 0);
  answers.at_the_end<WgmmaTf32F32>("Q1", "-2^-153", tf32, {0x80800000}, {0x32000000}, 0);
  ask_half_floor<WgmmaF16F16>(answers, "Q3", half);
  ask_zero_times_huge<WgmmaBf16F32>(answers, bf16);
  ask_zero_times_huge<WgmmaTf32F32>(answers, tf32);
  ask_wide_floor<WgmmaBf16F32>(answers, bf16);
  ask_wide_floor<WgmmaTf32F32>(answers, tf32);
  ask_two_steps<WgmmaF16F32>(answers, single);
  ask_two_steps<WgmmaF16F16>(answers, half);
  ask_two_steps<WgmmaBf16F32>(answers, bf16);
  ask_two_steps<WgmmaTf32F32>(answers, tf32);
  ask_two_steps<WgmmaE4m3F32>(answers, {"wgmma", &kE4m3, &kF32, 32});
  ask_two_steps<WgmmaE4m3F16>(answers, {"wgmma", &kE4m3, &kF16, 32});
  answers.at_the_start<WgmmaF16F32ScaleD0>("Q11", "scale-d 0, c NaN", single, {0}, {0}, 0x7fc00000);
  answers.at_the_start<WgmmaF16F32ScaleD0>("Q11", "scale-d 0, -0 products", single, {0x8000},
                                           {0x3c00}, 0);
  answers.at_the_start<WgmmaF16F32NegatedA>("Q11", "negated A, NaN", single, {0x7e00}, {0x3c00}, 0);
  answers.at_the_start<WgmmaF16F32NegatedA>("Q11", "negated A, 1 * 1 + 0", single, {0x3c00},
                                            {0x3c00}, 0);
#endif
}

void ask_fp8([[maybe_unused]] Answers& answers) {
#if TC_SM >= 89
  const Instruction fp8{TC_SM == 90 ? "mma_emulated" : "mma", &kE4m3, &kF32, 32};
  // 2^-6 * 2^-6 is half a unit in the last place of 2^12.
  answers.at_the_start<MmaE4m3F32K32>("Q13", "c alone, odd last place", fp8, {0}, {0}, 0x3f800001);
  answers.at_the_start<MmaE4m3F32K32>("Q13", "half a unit in the last place of c", fp8, {0x08},
                                      {0x08}, 0x45800001);
  const Instruction fp8_wide{fp8.kind, &kE5m2, &kF32, 32};
  answers.at_the_start<MmaE5m2F32K32>("Q13", "2^-24, half a unit in the last place of c", fp8_wide,
                                      {0x0c}, {0x0c}, 0x3f800001);
  answers.at_the_start<MmaE5m2F32K32>("Q13", "2^-24 and an even last place of c", fp8_wide, {0x0c},
                                      {0x0c}, 0x3f800000);
#endif
}

void ask_legacy(Answers& answers) {
  const Instruction volta{TC_SM >= 80 ? "mma_emulated" : "mma", &kF16, &kF32, 4};
  check_layout<MmaVoltaF16F32>(volta);
  answers.at_the_start<MmaVoltaF16F32>("Q12", "2^23 - 2^23 - .5 - .25 - .125", volta,
                                       {0xf000, 0xb800, 0xb400, 0xb000},
                                       {0x6400, 0x3c00, 0x3c00, 0x3c00}, 0x4b000000);
  answers.at_the_start<MmaVoltaF16F32>("Q12", "4 - 4 + c", volta, {0x4000, 0xc000},
                                       {0x4000, 0x4000}, 0x3f800001);
  answers.at_the_start<MmaVoltaF16F32>("Q12", "2^14 + 3 * 2^-18 - 2^14", volta,
                                       {0x5800, 0x1800, 0x1800, 0x1800},
                                       {0x5800, 0x1800, 0x1800, 0x1800}, 0xc6800000);
}

}  // namespace
}  // namespace tcsim::measure

int main(int argc, char** argv) {
  using namespace tcsim::measure;
  return run_program("questions", [&] {
    const Options options(argc, argv, {"out"});
    const Device device = open_device();
    Answers answers(options.text("out", "questions.csv"), device.board.gpu);
    Parts parts("questions");
    parts.run("mma", [&] { ask_dense(answers); });
    parts.run("fp64", [&] { ask_fp64(answers); });
    parts.run("mma.sp", [&] { ask_sparse(answers); });
    parts.run("fp8", [&] { ask_fp8(answers); });
    parts.run("m8n8k4", [&] { ask_legacy(answers); });
    parts.run("wgmma", [&] { ask_wgmma(answers); });
    parts.require_all();
  });
}
