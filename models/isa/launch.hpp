#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/isa/program.hpp"
#include "models/isa/recording.hpp"

namespace tcsim::isa {

/// CTAs in x, y, z at most (CUDA C Programming Guide, technical specifications).
inline constexpr std::array<std::int64_t, 3> kLargestGrid{(std::int64_t{1} << 31) - 1, 65535,
                                                          65535};
/// Bytes of shared memory that a file may give a CTA: far more than any machine has.
inline constexpr int kMostSharedBytes = 1 << 30;
inline constexpr std::uint64_t kBufferAlignment = 256;  ///< of base addresses, as allocators do it

/// A range of global memory that the kernel touches.
struct Buffer {
  std::string name{};
  std::uint64_t base_address = 0;  ///< multiple of kBufferAlignment
  std::uint64_t bytes = 0;
  bool input = true;  ///< false: written only
  /// Words of 32 bits by which CTAs wait for each other or share work out: the memory model keeps
  /// their values, from 0 on. Only LDG.E.STRONG.GPU of one lane, and RED.E.ADD and ATOMG.E.ADD of
  /// one lane with a literal, touch them.
  bool flags = false;

  bool operator==(const Buffer&) const = default;
};

/// One kernel as the hardware sees it.
struct KernelLaunch {
  std::string name{};
  std::array<std::int64_t, 3> grid{
      1, 1, 1};  ///< CTAs in x, y, z; CTAs start in order of x, then y, then z
  /// CTAs of a cluster in x, y, z: they run at once, on SMs of one GPC, and reach each other's
  /// shared memory. It divides the grid. A CTA's rank in its cluster goes by x, then y, then z.
  std::array<int, 3> cluster{1, 1, 1};
  int warps_per_cta = 1;
  int registers_per_thread = 32;
  int shared_bytes_per_cta = 0;
  std::vector<Buffer> buffers{};
  std::vector<TensorMap> tensor_maps{};
  std::vector<WarpProgram> programs{};
  std::vector<int> program_of_warp{};  ///< one index into `programs` per warp of a CTA
  /// Set: warps do not run through `programs` but execute what was recorded; the one program then
  /// lists the instructions that occur, in order of their addresses, without accesses and loops.
  std::shared_ptr<const Recording> recording{};

  [[nodiscard]] std::int64_t cta_count() const { return grid[0] * grid[1] * grid[2]; }
  [[nodiscard]] int cluster_size() const { return cluster[0] * cluster[1] * cluster[2]; }
  bool operator==(const KernelLaunch&) const = default;
};

/// The number of the CTA at `place` in x, y, z, in order of x, then y, then z; and the other way.
std::int64_t number_of_cta(const KernelLaunch& launch, const std::array<std::int64_t, 3>& place);
std::array<std::int64_t, 3> cta_at(const KernelLaunch& launch, std::int64_t number);

/// CTAs of a cluster at most (PTX ISA: 16 where a kernel says that it needs no other machine).
inline constexpr int kMostClusterCtas = 16;

/// The CTA of rank `rank` in cluster `cluster` of the grid, by its place in x, y, z. Clusters start
/// in order of x, then y, then z; where clusters are of one CTA, that is the order of CTAs.
std::array<std::int64_t, 3> cta_of_cluster(const KernelLaunch& launch, std::int64_t cluster,
                                           int rank);

/// True if CTAs of `launch` know of others of their cluster.
bool uses_clusters(const KernelLaunch& launch);

/// Every broken rule of `launch` as one sentence each; empty if it can run. Checked: indices, loop
/// nesting, register numbers against those that a thread has, an EXIT at the end, trip counts,
/// buffers that overlap, and what traps whatever the variables but the lane are (access_checks,
/// async_checks). Of a recorded launch, which has none of the rest, the geometry alone.
std::vector<std::string> validate(const KernelLaunch& launch);

}  // namespace tcsim::isa
