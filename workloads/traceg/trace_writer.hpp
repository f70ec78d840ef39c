#pragma once

#include <string>
#include <vector>

#include "models/isa/launch.hpp"
#include "workloads/traceg/byte_sink.hpp"

namespace tcsim::traceg {

/// How lanes' addresses are written: in the shortest of the three modes, or always in the same one.
/// If a stride does not describe them, they become a list.
enum class AddressMode { kList, kStride, kDifferences, kShortest };

struct WriteOptions {
  int sm_version = 80;  ///< the instruction set that the file states
  int kernel_id = 1;
  AddressMode mode = AddressMode::kShortest;
};

/// Writes what every warp of `launch` executes as a .traceg file; docs/traces.md lists what the
/// format cannot express. Requires a launch that isa::validate accepts, which is not recorded.
void write_recording(const isa::KernelLaunch& launch, const WriteOptions& options, ByteSink& sink);

/// The same to a file, packed as for create_file. Throws IoError.
void save_recording(const isa::KernelLaunch& launch, const WriteOptions& options,
                    const std::string& path);

/// Writes `launches` as kernel-1.traceg and so on into `folder`, which is created, with
/// kernelslist.g.
void save_stream(const std::vector<isa::KernelLaunch>& launches, int sm_version,
                 const std::string& folder);

}  // namespace tcsim::traceg
