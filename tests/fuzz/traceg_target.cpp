#include "models/isa/assemble_recording.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/support/memory_file.hpp"
#include "workloads/trace/input_error.hpp"
#include "workloads/traceg/traceg.hpp"

namespace tcsim::fuzz {
namespace {

constexpr std::string_view kSeed = R"(-kernel name = copy(int*)
-kernel id = 1
-grid dim = (2,1,1)
-block dim = (48,1,1)
-shmem = 1024
-nregs = 32
-binary version = 80
-cuda stream id = 0
-shmem base_addr = 0x00007f0000000000
-local mem base_addr = 0x00007f1000000000
-accelsim tracer version = 5
-enable lineinfo = 0

#traces format = PC mask

#BEGIN_TB
thread block = 1,0,0
warp = 0
insts = 7
0000 ffffffff 1 R1 IMAD.MOV.U32 2 R255 R255 0 0
0010 0000000f 1 R4 LDG.E.64 1 R2 8 0 0x1000 0x1010 0x1008 0x2000 0
0010 0000000f 1 R4 LDG.E.64 1 R2 8 0 0x1000 0x1010 0x1008 0x2000 0
0020 000000f0 1 R6 LDS 1 R3 4 1 0x10 -4 0
0030 80000011 0 STG.E 2 R2 R4 4 2 0x3000 16 -8 0
0010 0000000f 1 R4 LDG.E.64 1 R2 8 0 0x1000 0x1010 0x1008 0x2000 0
0040 ffffffff 0 EXIT 0 0 0
warp = 1
insts = 0
#END_TB
#BEGIN_TB
thread block = 0,0,0
warp = 1
insts = 2
0008 0000ffff 0 DEPBAR.LE 0 0 1
0018 0000ffff 1 R8 LD.E 1 R2 4 1 0x00007f0000000040 4 0
#END_TB
)";

constexpr std::string_view kHopperSeed = R"(-kernel name = hopper
-grid dim = (2,1,1)
-block dim = (32,1,1)
-shmem = 1024
-nregs = 168
-binary version = 90
-accelsim tracer version = 6
#BEGIN_TB
thread block = 0,0,0
cluster id = 0,0,0
cluster cta = 1,0,0
cluster rank = 1
warp = 0
insts = 9
0010 00000001 1 UR4 SYNCS.EXCH.64 2 UR8 UR6 8 0 0x400 0 0 Val 1 0x0 1 0x400 1 0x7ffff000001ffffc
0020 00000001 1 R255 SYNCS.ARRIVE.TRANS64 2 R3 R4 8 0 0x400 0 0 Val 1 0x0 1 0x400 1 0x180
0030 00000001 0 UTMALDG.2D 0 64 0x400 0 256 64 3 3 0x10000 0x10040 0x20000 0 0 NoVal
0040 00000001 0 UTMALDG.2D.MULTICAST 0 128 0x1000400 1 0x3 256 0 4 0x30000 2 4096 0 0 NoVal
0050 ffffffff 1 P1 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R3 R5 8 1 0x400 0 0 0 Val 1 0 1 0x400 1 0x1
0080 ffffffff 1 R24 HGMMA.64x64x16.F32.BF16 3 R4 UR8 R24 1 0 0 0 NoVal
0090 ffffffff 1 R5 BAR.ARV 0 0 64 0 Val 1 0x7
00a0 00000003 0 SYNCS.ARRIVE.TRANS64.RED.A1T0 2 R7 R255 8 1 0x408 16777216 0 0 NoVal
00b0 ffffffff 0 EXIT 0 0 0 0 NoVal
#END_TB
#BEGIN_TB
thread block = 1,0,0
warp = 0
insts = 2
REPLAY_START
00b0 ffffffff 0 EXIT 0 0 0 0 NoVal
#END_TB
)";

/// Follows every warp to its end.
void walk(const isa::KernelLaunch& launch) {
  const auto code = static_cast<int>(launch.programs.at(0).instructions.size());
  for (std::int64_t cta = 0; cta < launch.cta_count(); ++cta) {
    for (int warp = 0; warp < launch.warps_per_cta; ++warp) {
      const auto recorded = launch.recording->open(isa::cta_at(launch, cta), warp);
      isa::RecordedStep step;
      do {
        recorded->read(step);
        require(step.instruction >= 0 && step.instruction < code, "traceg: no such instruction");
      } while (launch.programs[0].instructions[static_cast<std::size_t>(step.instruction)].opcode !=
                   isa::Opcode::kExit ||
               step.lanes == 0);
    }
  }
}

bool run_traceg(Bytes bytes) {
  try {
    traceg::RecordedStream stream = traceg::read_recording(
        test::open_bytes(text_of(bytes), "input", files::FileKind::kRecording), "input");
    if (!stream.not_covered.empty()) return true;
    isa::KernelLaunch& launch = stream.launches.at(0);
    require(isa::validate(launch).empty(), "traceg: a launch that is not valid");
    walk(launch);
    isa::TimingTable timing;
    timing.fill({2, 20});
    isa::assemble_recording(launch, timing);
    for (const isa::Instruction& instruction : launch.programs[0].instructions)
      require(instruction.control.stall > 0, "traceg: an instruction without a stall");
    return true;
  } catch (const InputError& error) {
    require(std::string_view(error.what()).starts_with("input:"), "traceg: error without a place");
    return false;
  } catch (const IoError& error) {
    require(std::string_view(error.what()).starts_with("input: "), "traceg: error without a file");
    return false;
  }
}

std::vector<std::string> traceg_seeds() { return {std::string(kSeed), std::string(kHopperSeed)}; }

}  // namespace

const Target traceg_target{"traceg", run_traceg, traceg_seeds, Form::kText};

}  // namespace tcsim::fuzz
