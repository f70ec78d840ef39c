#include "tests/fuzz/refusal.hpp"
#include "tests/fuzz/scratch_file.hpp"
#include "workloads/trace/tct.hpp"
#include "workloads/traceg/traceg.hpp"

namespace tcsim::fuzz {
namespace {

/// Every construct of the format.
constexpr std::string_view kExample = R"tct(# a tile
tct 1
kernel copy_and_multiply   # comments end lines
grid 4 2 1
warps 2
registers 64
shared 8192
buffer A input base=0x10000 bytes=65536
buffer "D 0" output base=0x20000 bytes=65536

program main warps 0
  MOV R2, -5
  IADD3 R3, R2, RZ, RZ {reuse=1 yield}
  loop i0 < 4
    LDGSTS.E.128 [R4: A + 64*(lane/4%8) + 4096*ctaid.x - 16] -> smem[R6: 16*lane] swizzle(3,4,3) zfill(2*lane < 60) @(32*i0 + lane < 100 && warp < 1) {rd=0}
    LDGDEPBAR
    loop i1 < ctaid.x + 1
      LDSM.16.M88.4 R8, smem[512*((i0+1)%2) + 16*(lane/2)] {wr=1}
      HMMA.16816.F32 R16, R8, R12, R16 {wait=02}
    end
    DEPBAR.LE 1
    BAR.SYNC 0
  end @()
  STG.E.128 [R4: "D 0" + 16*lane] swizzle(1,2,3), R16
  EXIT

program helper warps 1
  EXIT
)tct";

/// What was accepted is written and read again.
bool run_tct(Bytes bytes) {
  return accepts([&] {
    const isa::KernelLaunch launch = trace::read_tct(text_of(bytes), "input");
    require(isa::validate(launch).empty(), "tct: a launch that is not valid");
    const std::string text = trace::write_tct(launch);
    require(trace::write_tct(trace::read_tct(text, "again")) == text, "tct: not read back");
  });
}

std::vector<std::string> tct_seeds() { return {std::string(kExample)}; }

/// A list of kernels; the recordings that it names stand beside it.
bool run_list(Bytes bytes) {
  static const bool is_written = [] {
    for (const std::string& seed : traceg_target.seeds()) write_scratch("kernel-1.traceg", seed);
    return true;
  }();
  require(is_written, "kernels list: no recording");
  const auto path = write_scratch("kernelslist.g", text_of(bytes));
  return accepts([&] { (void)traceg::load_recording(path.string()); });
}

std::vector<std::string> list_seeds() {
  return {"MemcpyHtoD,0x7f0000000000,1024\nkernel-1.traceg\n\nMemcpyDtoH,0,4\n",
          "kernel-1.traceg\nkernel-1.traceg\n"};
}

}  // namespace

const Target tct_target{"tct", run_tct, tct_seeds, Form::kText};
const Target kernels_list_target{"kernels_list", run_list, list_seeds, Form::kText};

}  // namespace tcsim::fuzz
