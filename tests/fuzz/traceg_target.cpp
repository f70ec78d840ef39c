#include "models/isa/assemble_recording.hpp"
#include "tests/fuzz/target.hpp"
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

/// Follows every warp to its end.
void walk(const isa::KernelLaunch& launch) {
  const auto code = static_cast<int>(launch.programs.at(0).instructions.size());
  for (std::int64_t cta = 0; cta < launch.cta_count(); ++cta) {
    for (int warp = 0; warp < launch.warps_per_cta; ++warp) {
      const auto recorded =
          launch.recording->open({cta % launch.grid[0], cta / launch.grid[0] % launch.grid[1],
                                  cta / launch.grid[0] / launch.grid[1]},
                                 warp);
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
        files::open_bytes(std::string(text_of(bytes)), "input", files::FileKind::kRecording),
        "input");
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

std::vector<std::string> traceg_seeds() { return {std::string(kSeed)}; }

}  // namespace

const Target traceg_target{"traceg", run_traceg, traceg_seeds, Form::kText};

}  // namespace tcsim::fuzz
