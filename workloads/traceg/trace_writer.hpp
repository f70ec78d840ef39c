#pragma once

#include <string>
#include <vector>

#include "models/isa/launch.hpp"
#include "workloads/traceg/byte_sink.hpp"

namespace tcsim::traceg {

/// How lanes' addresses are written: the shortest of the three modes, or always the same one. A
/// stride that does not describe them becomes a list.
enum class AddressMode { kList, kStride, kDifferences, kShortest };

struct WriteOptions {
  int sm_version = 80;  ///< the instruction set that the file names
  int kernel_id = 1;
  AddressMode mode = AddressMode::kShortest;
};

/// Writes what every warp of `launch` executes as a .traceg file; docs/traces.md lists what the
/// form cannot carry. Requires a launch that isa::validate accepts, which is not recorded.
void write_recording(const isa::KernelLaunch& launch, const WriteOptions& options, ByteSink& sink);

/// The same to a file, packed as create_file says. Throws IoError.
void save_recording(const isa::KernelLaunch& launch, const WriteOptions& options,
                    const std::string& path);

/// `launches` as kernel-1.traceg and so on in `folder`, which is made, with kernelslist.g.
void save_stream(const std::vector<isa::KernelLaunch>& launches, int sm_version,
                 const std::string& folder);

}  // namespace tcsim::traceg
