// Latencies and rates of single instructions on one SM of GPU 0: MMA by shape and warps, shared
// memory, ldmatrix, L1, arithmetic, barriers. Rows go to microbench.csv and microbench_table.csv.
//
//   operations --out FOLDER
#include <cstdio>

#include "scripts/gpu/common/device.cuh"
#include "scripts/gpu/common/options.hpp"
#include "scripts/gpu/common/sm_clock.cuh"
#include "scripts/gpu/microbench/core_operations.cuh"
#include "scripts/gpu/microbench/figures.hpp"
#include "scripts/gpu/microbench/mma_operations.cuh"
#include "scripts/gpu/microbench/operation_loop.cuh"
#include "scripts/gpu/microbench/shared_operations.cuh"

namespace tcsim::measure {
namespace {

/// An instruction as `tcsim microbench` names it, as PTX names it, and its type.
struct Names {
  const char* test;  ///< empty: the simulator has no such test
  const char* what;
  const char* type;
};

class Operations {
 public:
  explicit Operations(Figures& figures) : figures_(figures) {}

  /// Latency, issue interval, and the rate over warps and chains. `macs` of one warp instruction.
  template <class Operation>
  void mma(const Names& names, double macs) {
    announce(names);
    chain<Operation>("mma", names, {});
    interval<Operation, 4>("mma", names, {});
    for (const int warps : {4, 8, 16}) {
      rate<Operation, 1>(names, warps, macs);
      rate<Operation, 2>(names, warps, macs);
      rate<Operation, 4>(names, warps, macs);
    }
  }

  /// Cycles from one operation of a chain to the next, by one CTA (or `ctas_per_sm` on every SM).
  template <class Operation>
  void chain(const char* suite, const Names& names, const LoopShape& shape) {
    add(suite, names, words(shape, 1), cycles_per_group<Operation, 1>(shape), "cycles", "latency");
  }

  template <class Operation, int Chains>
  void interval(const char* suite, const Names& names, const LoopShape& shape) {
    const double cycles = cycles_per_group<Operation, Chains>(shape) / Chains;
    add(suite, names, words(shape, Chains), cycles, "cycles/instruction", "issue_interval");
  }

  /// Cycles that the SM takes for one access of a warp while all warps access memory.
  template <class Operation, int Chains>
  void access(const char* suite, const Names& names, const LoopShape& shape) {
    const double cycles = cycles_per_group<Operation, Chains>(shape) / (Chains * shape.warps);
    add(suite, names, words(shape, Chains), cycles, "cycles/warp access", "access_interval");
  }

  template <class Operation>
  void shared(const Names& names) {
    announce(names);
    chain<Operation>("shared", names, {});
    for (const int warps : {1, 4, 8, 16, 32}) access<Operation, 4>("shared", names, {warps, 0, 1});
  }

 private:
  template <class Operation, int Chains>
  void rate(const Names& names, int warps, double macs) {
    const LoopShape shape{warps, 0, 1};
    const double value = warps * Chains * macs / cycles_per_group<Operation, Chains>(shape);
    add("mma", names, words(shape, Chains), value, "MAC/cycle/SM", "throughput");
  }

  static std::string words(const LoopShape& shape, int chains) {
    std::string text = " warps=" + std::to_string(shape.warps) + " ilp=" + std::to_string(chains);
    if (shape.stride != 1) text += " stride=" + std::to_string(shape.stride);
    if (shape.ctas_per_sm != 0) text += " ctas=" + std::to_string(shape.ctas_per_sm);
    return text;
  }

  static void announce(const Names& names) {
    std::printf("  %s %s\n", names.what, names.type);
    std::fflush(stdout);
  }

  void add(const char* suite, const Names& names, const std::string& words, double value,
           const char* unit, const char* metric) {
    const std::string test = *names.test == '\0' ? "" : names.test + words;
    figures_.add({suite, test, value, unit, metric, names.what + words, names.type, ""});
  }

  Figures& figures_;
};

void measure_mma(Operations& operations) {
#if TC_SM == 70
  operations.mma<VoltaOperation<MmaVoltaF16F32>>({"HMMA.884.F32.F32", "mma.m8n8k4", "fp16->fp32"},
                                                 1024);
  operations.mma<VoltaOperation<MmaVoltaF16F16>>({"HMMA.884.F16.F16", "mma.m8n8k4", "fp16->fp16"},
                                                 1024);
#endif
#if TC_SM >= 75
  operations.mma<MmaOperation<MmaF16F32K8>>({"HMMA.1688.F32", "mma.m16n8k8", "fp16->fp32"}, 1024);
  operations.mma<MmaOperation<MmaF16F16K8>>({"HMMA.1688.F16", "mma.m16n8k8", "fp16->fp16"}, 1024);
  operations.mma<MmaOperation<MmaS8N8K16>>({"IMMA.8816.S8.S8", "mma.m8n8k16", "int8->int32"}, 1024);
#endif
#if TC_SM >= 80
  operations.mma<MmaOperation<MmaF16F32K16>>({"HMMA.16816.F32", "mma.m16n8k16", "fp16->fp32"},
                                             2048);
  operations.mma<MmaOperation<MmaF16F16K16>>({"HMMA.16816.F16", "mma.m16n8k16", "fp16->fp16"},
                                             2048);
  operations.mma<MmaOperation<MmaBf16F32K16>>({"HMMA.16816.F32.BF16", "mma.m16n8k16", "bf16->fp32"},
                                              2048);
  operations.mma<MmaOperation<MmaTf32F32K8>>({"HMMA.1688.F32.TF32", "mma.m16n8k8", "tf32->fp32"},
                                             1024);
  operations.mma<MmaOperation<MmaTf32F32K4>>({"HMMA.1684.F32.TF32", "mma.m16n8k4", "tf32->fp32"},
                                             512);
  operations.mma<MmaOperation<MmaS8S32K32>>({"IMMA.16832.S8.S8", "mma.m16n8k32", "int8->int32"},
                                            4096);
  operations.mma<MmaOperation<MmaS8S32K16>>({"IMMA.16816.S8.S8", "mma.m16n8k16", "int8->int32"},
                                            2048);
  operations.mma<SparseOperation>({"HMMA.SP.16832.F32", "mma.sp.m16n8k32", "fp16->fp32"}, 4096);
  operations.mma<DmmaOperation>({"DMMA.884", "mma.m8n8k4", "fp64"}, 256);
#endif
#if TC_SM >= 80 && TC_SM < 90
  operations.mma<MmaOperation<MmaS4S32K64>>({"IMMA.16864.S4.S4", "mma.m16n8k64", "int4->int32"},
                                            8192);
  operations.mma<MmaOperation<MmaB1S32K256>>(
      {"BMMA.168256.XOR.POPC", "mma.m16n8k256.xor.popc", "b1->int32"}, 32768);
#endif
#if TC_SM == 89
  operations.mma<MmaOperation<MmaE4m3F32K32>>({"", "mma.m16n8k32", "e4m3->fp32"}, 4096);
#endif
}

void measure_shared(Operations& operations) {
  for (const int stride : {2, 4, 8, 16, 32})
    operations.chain<SharedLoad<1>>("shared", {"LDS", "ld.shared", "b32"}, {1, 0, stride});
  operations.shared<SharedLoad<1>>({"LDS", "ld.shared", "b32"});
  operations.shared<SharedLoad<2>>({"LDS.64", "ld.shared.v2", "b32"});
  operations.shared<SharedLoad<4>>({"LDS.128", "ld.shared.v4", "b32"});
  for (const int warps : {1, 4, 8, 16, 32}) {
    operations.access<SharedStore<1>, 4>("shared", {"STS", "st.shared", "b32"}, {warps, 0, 1});
    operations.access<SharedStore<2>, 4>("shared", {"STS.64", "st.shared.v2", "b32"},
                                         {warps, 0, 1});
    operations.access<SharedStore<4>, 4>("shared", {"STS.128", "st.shared.v4", "b32"},
                                         {warps, 0, 1});
  }
#if TC_SM >= 75
  operations.shared<MatrixLoad<1>>({"LDSM.16.M88", "ldmatrix.x1", "b16"});
  operations.shared<MatrixLoad<2>>({"LDSM.16.M88.2", "ldmatrix.x2", "b16"});
  operations.shared<MatrixLoad<4>>({"LDSM.16.M88.4", "ldmatrix.x4", "b16"});
#endif
}

void measure_l1(Operations& operations) {
  for (const int stride : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 24, 32, 64}) {
    operations.access<GlobalLoad<1>, 4>("l1", {"LDG.E", "ld.global", "b32"}, {32, 0, stride});
    operations.access<GlobalLoad<2>, 4>("l1", {"LDG.E.64", "ld.global.v2", "b32"}, {32, 0, stride});
  }
}

void measure_core(Operations& operations) {
  const auto both = [&](auto operation, const Names& names) {
    using Operation = decltype(operation);
    operations.chain<Operation>("alu", names, {});
    operations.interval<Operation, 4>("alu", names, {});
  };
  both(Ffma(), {"FFMA", "fma", "fp32"});
  both(Imad(), {"IMAD", "mad.lo", "u32"});
  both(Hfma2(), {"HFMA2", "fma", "fp16x2"});
  both(Dfma(), {"DFMA", "fma", "fp64"});
  both(MufuEx2(), {"MUFU.EX2", "ex2.approx", "fp32"});
  both(Shfl(), {"SHFL", "shfl.bfly", "b32"});
}

void measure_barriers(Operations& operations) {
  for (const int warps : {1, 2, 4, 8, 16, 32})
    operations.chain<Barrier>("sync", {"BAR.SYNC", "bar.sync", ""}, {warps, 0, 1});
  for (const int warps : {8, 16})
    operations.chain<Barrier>("sync", {"BAR.SYNC", "bar.sync", ""}, {warps, 2, 1});
}

}  // namespace
}  // namespace tcsim::measure

int main(int argc, char** argv) {
  using namespace tcsim::measure;
  return run_program("operations", [&] {
    const Options options(argc, argv, {"out"});
    const Device device = open_device();
    Figures figures(options.text("out", "."), device.board.gpu, measured_sm_mhz());
    Operations operations(figures);
    Parts parts("operations");
    parts.run("mma", [&] { measure_mma(operations); });
    parts.run("shared", [&] { measure_shared(operations); });
    parts.run("l1", [&] { measure_l1(operations); });
    parts.run("core", [&] { measure_core(operations); });
    parts.run("barriers", [&] { measure_barriers(operations); });
    parts.require_all();
  });
}
