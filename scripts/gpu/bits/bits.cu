// Writes what the tensor cores of GPU 0 return for directed and random operands: one file for each
// instruction, named and laid out as `tcsim mma check` and scripts/check_measured_numerics read it.
//
//   bits --out FOLDER [--vectors N] [--seed S] [--only INSTRUCTION] [--category C]
//
// --only takes the end of a file name (wgmma_f16_f32_k16). --category takes one kind of random
// operands (bits, zeros, ...) instead of directed operands and all kinds, for sweeps of many
// vectors.
#include <cstdio>
#include <memory>

#include "scripts/gpu/bits/batches.hpp"
#include "scripts/gpu/bits/directed_vectors.hpp"
#include "scripts/gpu/bits/integer_vectors.hpp"
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

/// The options for every file.
struct Choice {
  std::string folder;
  long vectors = 0;
  long seed = 0;
  std::string only;      ///< empty: every instruction
  std::string category;  ///< of floating-point operands; empty: directed ones and all
};

class BitsFiles {
 public:
  BitsFiles(Choice choice, std::string token)
      : choice_(std::move(choice)), token_(std::move(token)) {}

  /// Throws ProgramError if no instruction was the chosen one or one could not be measured.
  void require_all() const {
    if (!any_)
      throw ProgramError(kMistake, "--only: '" + choice_.only +
                                       "' is not an instruction (allowed:" + instructions_ + ")");
    parts_.require_all();
  }

  template <class Mma>
  void real(const Instruction& instruction) {
    if (!is_chosen(instruction)) return;
    parts_.run(instruction.words(), [&] { write_real<Mma>(instruction); });
  }

  /// `Clamping` is the same instruction with .satfinite.
  template <class Mma, class Clamping>
  void integer(const Instruction& instruction) {
    if (!is_chosen(instruction)) return;
    parts_.run(instruction.words(), [&] { write_integer<Mma, Clamping>(instruction); });
  }

 private:
  template <class Mma>
  void write_real(const Instruction& instruction) {
    RealVectors random(*instruction.input, *instruction.accumulator, instruction.k,
                       static_cast<std::uint64_t>(choice_.seed), choice_.category);
    CsvFile file = open<Mma>(instruction, {"cat", "a", "b", "c", "d"});
    const auto directed =
        choice_.category.empty() ? directed_vectors(instruction) : std::vector<Vector>();
    for_each_batch(directed, random, choice_.vectors,
                   [&](const std::vector<Vector>& batch) { write<Mma>(instruction, batch, file); });
  }

  template <class Mma, class Clamping>
  void write_integer(const Instruction& instruction) {
    CsvFile file = open<Mma>(instruction, {"cat", "a", "b", "c", "d_wrap", "d_satfinite"});
    IntegerVectors random(instruction.k, static_cast<std::uint64_t>(choice_.seed));
    for_each_batch({}, random, choice_.vectors, [&](const std::vector<Vector>& batch) {
      const auto wrapped = results<Mma>(instruction, batch);
      const auto clamped = results<Clamping>(instruction, batch);
      std::vector<std::vector<std::string>> rows;
      for (std::size_t i = 0; i < batch.size(); ++i) {
        std::vector<std::string> cells = operands(instruction, batch[i]);
        cells.push_back(hex(wrapped[i], 32));
        cells.push_back(hex(clamped[i], 32));
        rows.push_back(std::move(cells));
      }
      file.rows(rows);
    });
  }

  bool is_chosen(const Instruction& instruction) {
    instructions_ += ' ' + instruction.words();
    const bool chosen = choice_.only.empty() || choice_.only == instruction.words();
    any_ = any_ || chosen;
    return chosen;
  }

  template <class Mma>
  CsvFile open(const Instruction& instruction, const std::vector<std::string>& header) {
    check_layout<Mma>(instruction);
    std::printf("  %s\n", instruction.words().c_str());
    std::fflush(stdout);
    return CsvFile(choice_.folder + '/' + token_ + '_' + instruction.words() + ".csv", header);
  }

  static std::vector<std::string> operands(const Instruction& instruction, const Vector& vector) {
    return {vector.category, hex(vector.a, instruction.input_bits()),
            hex(vector.b, instruction.input_bits()), hex(vector.c, instruction.accumulator_bits())};
  }

  template <class Mma>
  void write(const Instruction& instruction, const std::vector<Vector>& vectors, CsvFile& file) {
    const auto d = results<Mma>(instruction, vectors);
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < vectors.size(); ++i) {
      std::vector<std::string> cells = operands(instruction, vectors[i]);
      cells.push_back(hex(d[i], instruction.accumulator_bits()));
      rows.push_back(std::move(cells));
    }
    file.rows(rows);
  }

  Choice choice_;
  std::string token_;
  Parts parts_{"bits"};
  std::string instructions_;
  bool any_ = false;
};

void measure_mma(BitsFiles& files) {
#if TC_SM <= 75
  files.real<MmaVoltaF16F32>({"mma", &kF16, &kF32, 4});
  files.real<MmaVoltaF16F16>({"mma", &kF16, &kF16, 4});
#endif
#if TC_SM >= 75
  files.real<MmaF16F32K8>({"mma", &kF16, &kF32, 8});
  files.real<MmaF16F16K8>({"mma", &kF16, &kF16, 8});
#endif
#if TC_SM == 75
  files.integer<MmaS8N8K16, MmaS8N8K16Sat>({"mma", nullptr, nullptr, 16});
#endif
#if TC_SM >= 80
  // m8n8k4, emulated by other instructions from Ampere on.
  files.real<MmaVoltaF16F32>({"mma_emulated", &kF16, &kF32, 4});
  files.real<MmaVoltaF16F16>({"mma_emulated", &kF16, &kF16, 4});
  files.real<MmaF16F32K16>({"mma", &kF16, &kF32, 16});
  files.real<MmaF16F16K16>({"mma", &kF16, &kF16, 16});
  files.real<MmaBf16F32K16>({"mma", &kBf16, &kF32, 16});
  files.real<MmaBf16F32K8>({"mma", &kBf16, &kF32, 8});
  files.real<MmaTf32F32K8>({"mma", &kTf32, &kF32, 8});
  files.real<MmaTf32F32K4>({"mma", &kTf32, &kF32, 4});
  files.integer<MmaS8S32K32, MmaS8S32K32Sat>({"mma", nullptr, nullptr, 32});
  files.integer<MmaS8S32K16, MmaS8S32K16Sat>({"mma", nullptr, nullptr, 16});
  files.real<MmaF64K4>({"mma", &kF64, &kF64, 4});
  files.real<MmaSparseF16F32>({"mma_sp", &kF16, &kF32, 16});
#endif
#if TC_SM == 90
  files.real<MmaF64K8>({"mma", &kF64, &kF64, 8});
  files.real<MmaF64K16>({"mma", &kF64, &kF64, 16});
#endif
}

void measure_fp8([[maybe_unused]] BitsFiles& files) {
#if TC_SM >= 89
  // FP8 mma.sync is native on Ada and software on Hopper.
  const char* kind = TC_SM == 90 ? "mma_emulated" : "mma";
  files.real<MmaE4m3F32K32>({kind, &kE4m3, &kF32, 32});
  files.real<MmaE5m2F32K32>({kind, &kE5m2, &kF32, 32});
#ifdef TC_FP8_F16
  files.real<MmaE4m3F16K32>({kind, &kE4m3, &kF16, 32});
  files.real<MmaE5m2F16K32>({kind, &kE5m2, &kF16, 32});
#endif
#endif
}

void measure_wgmma([[maybe_unused]] BitsFiles& files) {
#if TC_SM == 90
  files.real<WgmmaF16F32>({"wgmma", &kF16, &kF32, 16});
  files.real<WgmmaF16F16>({"wgmma", &kF16, &kF16, 16});
  files.real<WgmmaBf16F32>({"wgmma", &kBf16, &kF32, 16});
  files.real<WgmmaTf32F32>({"wgmma", &kTf32, &kF32, 8});
  files.real<WgmmaE4m3F32>({"wgmma", &kE4m3, &kF32, 32});
  files.real<WgmmaE5m2F32>({"wgmma", &kE5m2, &kF32, 32});
  files.real<WgmmaE4m3F16>({"wgmma", &kE4m3, &kF16, 32});
  files.real<WgmmaE5m2F16>({"wgmma", &kE5m2, &kF16, 32});
  files.integer<WgmmaS8S32, WgmmaS8S32Sat>({"wgmma", nullptr, nullptr, 32});
#endif
}

}  // namespace
}  // namespace tcsim::measure

int main(int argc, char** argv) {
  using namespace tcsim::measure;
  return run_program("bits", [&] {
    const Options options(argc, argv, {"out", "vectors", "seed", "only", "category"});
    const Choice choice{options.text("out", "."), options.positive("vectors", 9000),
                        options.positive("seed", 1), options.text("only", ""),
                        options.text("category", "")};
    const Device device = open_device();
    BitsFiles files(choice, device.board.token);
    measure_mma(files);
    measure_fp8(files);
    measure_wgmma(files);
    files.require_all();
  });
}
