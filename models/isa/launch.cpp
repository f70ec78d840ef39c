#include "models/isa/launch.hpp"

#include <algorithm>

namespace tcsim::isa {

std::int64_t number_of_cta(const KernelLaunch& launch, const std::array<std::int64_t, 3>& place) {
  return place[0] + launch.grid[0] * (place[1] + launch.grid[1] * place[2]);
}

std::array<std::int64_t, 3> cta_at(const KernelLaunch& launch, std::int64_t number) {
  return {number % launch.grid[0], number / launch.grid[0] % launch.grid[1],
          number / launch.grid[0] / launch.grid[1]};
}

std::array<std::int64_t, 3> cta_of_cluster(const KernelLaunch& launch, std::int64_t cluster,
                                           int rank) {
  std::array<std::int64_t, 3> place{};
  for (std::size_t d = 0; d < place.size(); ++d) {
    const std::int64_t along = launch.cluster[d];
    const std::int64_t clusters = launch.grid[d] / along;
    place[d] = cluster % clusters * along + rank % along;
    cluster /= clusters;
    rank /= static_cast<int>(along);
  }
  return place;
}

bool uses_clusters(const KernelLaunch& launch) {
  return launch.cluster_size() > 1 ||
         std::ranges::any_of(launch.programs, [](const WarpProgram& program) {
           return std::ranges::any_of(program.instructions, [](const Instruction& instruction) {
             return needs_cluster(opcode_info(instruction.opcode).effect);
           });
         });
}

}  // namespace tcsim::isa
