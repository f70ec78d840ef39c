// Times of matrix products on GPU 0: by cuBLAS with the kernel that it chooses, and by this
// project's mma.sync kernel. Rows have the format of `tcsim validate`.
//
//   gemm --shapes FILE --out FILE.csv
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>

#include "scripts/gpu/common/csv_file.hpp"
#include "scripts/gpu/common/device.cuh"
#include "scripts/gpu/common/options.hpp"
#include "scripts/gpu/common/program.hpp"
#include "scripts/gpu/gemm/cublas.hpp"
#include "scripts/gpu/gemm/kernel_names.hpp"
#include "scripts/gpu/gemm/operands.cuh"
#include "scripts/gpu/gemm/own_gemm.cuh"
#include "scripts/gpu/gemm/timing.cuh"

namespace tcsim::measure {
namespace {

class Times {
 public:
  Times(const std::string& path, const Device& device)
      : gpu_(device.board.gpu),
        nvml_(device.pci_bus_id),
        file_(path, {"gpu", "op", "dtype_in", "dtype_acc", "params", "time_us", "tflops",
                     "clock_mhz_if_known", "source_id", "notes"}) {
    if (!nvml_.available()) std::printf("  no NVML: clock, temperature and power stay unknown\n");
  }

  template <class Work>
  void add(const Problem& problem, const std::string& kernel, Work work) {
    stop_if_interrupted();
    const Timing timing = time_calls(work, nvml_);
    const bool clock_known = timing.sm_mhz > 0;
    std::string notes = "kernel=" + kernel + ";runs=" + std::to_string(timing.runs) +
                        ";calls=" + std::to_string(timing.calls) +
                        ";min_us=" + number(timing.us.min) + ";max_us=" + number(timing.us.max) +
                        ";graph;l2=warm";
    if (clock_known) notes += ";clk=sampled";
    if (timing.temperature_c >= 0)
      notes += ";temperature_c=" + std::to_string(timing.temperature_c);
    if (timing.power_w >= 0) notes += ";power_w=" + std::to_string(timing.power_w);
    file_.row({gpu_, "gemm", problem.input, problem.accumulator, problem.params(),
               number(timing.us.median), number(problem.flop() / timing.us.median / 1e6),
               clock_known ? std::to_string(timing.sm_mhz) : "", "OWN", notes});
  }

 private:
  std::string gpu_;
  Nvml nvml_;
  CsvFile file_;
};

#ifdef TC_HAS_CUBLAS
void measure_cublas(const std::vector<Problem>& problems, Times& times) {
  const Cublas cublas;
  for (const Problem& problem : problems) {
    const auto types = cublas_types(problem);
    if (!types)
      throw ProgramError(kMistake, problem.input + "->" + problem.accumulator +
                                       ": not a pair of types that is measured");
    const GemmOperands operands(problem, types->operand_bytes, types->result_bytes);
    const auto multiply = [&](cudaStream_t stream) {
      return cublas.multiply(problem, *types, operands.a(), operands.b(), operands.d(), stream);
    };
    std::string kernel;
    bool covered = false;
    {
      const KernelNames names;
      covered = multiply(nullptr);
      finish("cuBLAS");
      kernel = names.text();
    }
    std::printf("  cuBLAS %s->%s %s%s\n", problem.input.c_str(), problem.accumulator.c_str(),
                problem.params().c_str(), covered ? "" : ": this cuBLAS and GPU have no kernel");
    std::fflush(stdout);
    if (covered) times.add(problem, kernel, multiply);
  }
}
#else
void measure_cublas(const std::vector<Problem>&, Times&) {
  throw ProgramError(kNotCovered, "cublas_v2.h was not there when this was compiled");
}
#endif

#if TC_SM >= 75
bool fits_own_kernel(const Problem& problem) {
  return problem.input == "fp16" && problem.accumulator == "fp32" && problem.layout == "NT" &&
         problem.m % OwnGemm::kTile == 0 && problem.n % OwnGemm::kTile == 0 &&
         problem.k % OwnGemm::kSlice == 0;
}

void launch_own(const Problem& problem, const GemmOperands& operands, cudaStream_t stream) {
  const dim3 grid(problem.n / OwnGemm::kTile, problem.m / OwnGemm::kTile);
  own_gemm<<<grid, OwnGemm::kThreads, OwnGemm::kSharedBytes, stream>>>(
      static_cast<const __half*>(operands.a()), static_cast<const __half*>(operands.b()),
      static_cast<__half*>(operands.d()), problem.n, problem.k);
}

void measure_own(const std::vector<Problem>& problems, Times& times) {
  check(cudaFuncSetAttribute(own_gemm, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             OwnGemm::kSharedBytes),
        "cudaFuncSetAttribute");
  const Problem small{"fp16", "fp32", 256, 384, 96, "NT"};
  const GemmOperands known(small, 2, 2);
  launch_own(small, known, nullptr);
  finish("own kernel");
  if (!known.is_product(small))
    throw ProgramError(kStopped, "the own kernel computes a wrong product; it is not timed");
  const std::string kernel =
      std::string("own;tile=128x128x32;warp=64x32;stages=") + std::to_string(OwnGemm::kStages);
  for (const Problem& problem : problems) {
    if (!fits_own_kernel(problem)) continue;
    std::printf("  own kernel %s\n", problem.params().c_str());
    std::fflush(stdout);
    const GemmOperands operands(problem, 2, 2);
    times.add(problem, kernel, [&](cudaStream_t stream) { launch_own(problem, operands, stream); });
  }
}
#else
void measure_own(const std::vector<Problem>&, Times&) {
  std::printf("  the own kernel needs compute capability 7.5\n");
}
#endif

}  // namespace
}  // namespace tcsim::measure

int main(int argc, char** argv) {
  using namespace tcsim::measure;
  return run_program("gemm", [&] {
    const Options options(argc, argv, {"shapes", "out"});
    const std::vector<Problem> problems = read_problems(options.text("shapes", "shapes.csv"));
    const Device device = open_device();
    Times times(options.text("out", "times.csv"), device);
    Parts parts("gemm");
    parts.run("own kernel", [&] { measure_own(problems, times); });
    parts.run("cuBLAS", [&] { measure_cublas(problems, times); });
    parts.require_all();
  });
}
