#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/isa/program.hpp"
#include "models/isa/recording.hpp"

namespace tcsim::isa {

/// The largest grid in CTAs in x, y, z (CUDA C Programming Guide, technical specifications).
inline constexpr std::array<std::int64_t, 3> kLargestGrid{(std::int64_t{1} << 31) - 1, 65535,
                                                          65535};
/// The most bytes of shared memory that a file may give a CTA: far more than any machine has.
inline constexpr int kMostSharedBytes = 1 << 30;
inline constexpr std::uint64_t kBufferAlignment = 256;  ///< of base addresses, as allocators use it

/// A range of global memory that the kernel accesses.
struct Buffer {
  std::string name{};
  std::uint64_t base_address = 0;  ///< multiple of kBufferAlignment
  std::uint64_t bytes = 0;
  bool input = true;  ///< false: holds nothing before the kernel starts
  /// 32-bit words by which CTAs wait for each other or distribute work: the memory model keeps
  /// their values, starting at 0. Only LDG.E.STRONG.GPU of one lane, and RED.E.ADD and ATOMG.E.ADD
  /// of one lane with a literal, access them.
  bool flags = false;
  /// An output that the kernel itself reads again and that nobody needs afterwards.
  bool scratch = false;
  /// How many bytes of an output the kernel replaces if the memory outlives the operation, as a
  /// cache of keys does; the others keep what they hold. Without it, the kernel writes all of it.
  std::optional<std::uint64_t> replaced{};

  bool operator==(const Buffer&) const = default;
};

/// One kernel as the hardware sees it.
struct KernelLaunch {
  std::string name{};
  std::array<std::int64_t, 3> grid{
      1, 1, 1};  ///< CTAs in x, y, z; CTAs start in order of x, then y, then z
  /// CTAs of a cluster in x, y, z. They run concurrently on SMs of one GPC and can access each
  /// other's shared memory. Must divide the grid. A CTA's rank in its cluster counts x first, then
  /// y, then z.
  std::array<int, 3> cluster{1, 1, 1};
  int warps_per_cta = 1;
  int registers_per_thread = 32;
  int shared_bytes_per_cta = 0;
  std::vector<Buffer> buffers{};
  std::vector<TensorMap> tensor_maps{};
  std::vector<WarpProgram> programs{};
  std::vector<int> program_of_warp{};  ///< one index into `programs` per warp of a CTA
  /// If set: warps do not run through `programs` but execute what was recorded. The single program
  /// then lists the instructions that occur, in order of their addresses, without accesses and
  /// loops.
  std::shared_ptr<const Recording> recording{};

  [[nodiscard]] std::int64_t cta_count() const { return grid[0] * grid[1] * grid[2]; }
  [[nodiscard]] int cluster_size() const { return cluster[0] * cluster[1] * cluster[2]; }
  bool operator==(const KernelLaunch&) const = default;
};

/// The number of the CTA at `place` in x, y, z, counting x first, then y, then z; and the inverse.
std::int64_t number_of_cta(const KernelLaunch& launch, const std::array<std::int64_t, 3>& place);
std::array<std::int64_t, 3> cta_at(const KernelLaunch& launch, std::int64_t number);

/// The most CTAs of a cluster (PTX ISA: 16 if a kernel declares that it need not run on other
/// machines).
inline constexpr int kMostClusterCtas = 16;

/// The CTA of rank `rank` in cluster `cluster` of the grid, by its place in x, y, z. Clusters start
/// in order of x, then y, then z; if clusters have one CTA, that is the order of CTAs.
std::array<std::int64_t, 3> cta_of_cluster(const KernelLaunch& launch, std::int64_t cluster,
                                           int rank);

/// True if CTAs of `launch` interact with others of their cluster.
bool uses_clusters(const KernelLaunch& launch);

/// A rule that a launch breaks, and the part of the launch that breaks it.
struct LaunchProblem {
  enum class Part : std::uint8_t {
    kLaunch,
    kCluster,
    kBuffer,
    kTensorMap,
    kProgram,
    kInstruction,
    kLoop
  };

  std::string text{};  ///< one sentence, which names the part, too
  Part part = Part::kLaunch;
  int index = kNoIndex;    ///< of the buffer or tensor map, of the instruction or loop in `program`
  int program = kNoIndex;  ///< of a program, an instruction or a loop
};

/// Every rule that `launch` breaks; empty if it can run. Checks indices, loop nesting, register
/// numbers against those that a thread has, an EXIT at the end, iteration counts, overlapping
/// buffers, and what traps for any values of the variables other than the lane (access_checks,
/// async_checks). For a recorded launch checks the geometry and the buffers alone.
std::vector<LaunchProblem> launch_problems(const KernelLaunch& launch);

/// Their texts.
std::vector<std::string> validate(const KernelLaunch& launch);

}  // namespace tcsim::isa
