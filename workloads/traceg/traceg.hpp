#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/isa/launch.hpp"
#include "sim/files/byte_source.hpp"

namespace tcsim::traceg {

/// A recorded kernel or stream of them, ready to run once control bits are set
/// (isa::assemble_recording).
struct RecordedStream {
  std::vector<isa::KernelLaunch> launches;  ///< each with a recording
  std::vector<std::string> notes;  ///< one sentence each about what was left out or filled in
  /// Not empty: the kernels cannot run, because of operations that the models lack. A sentence with
  /// their number and the place of the first.
  std::string not_covered;
};

/// True for names that end in .tracez, .traceg or .g, the latter two perhaps packed: .xz, .zst,
/// .gz.
bool is_recording(const std::string& path);

/// What a .traceg or .tracez file or a list of them, kernelslist.g, holds; docs/traces.md says what
/// is kept. Throws InputError for a damaged one, `file:line:column: what: reason`, and IoError.
RecordedStream load_recording(const std::string& path);

/// One .traceg file from `source`; `file_name` is for messages.
RecordedStream read_recording(std::unique_ptr<files::ByteSource> source,
                              const std::string& file_name);

}  // namespace tcsim::traceg
