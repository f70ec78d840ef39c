#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "models/isa/launch.hpp"
#include "sim/files/byte_source.hpp"

namespace tcsim::traceg {

/// A recorded kernel or a stream of them, ready to run once control bits are set
/// (isa::assemble_recording).
struct RecordedStream {
  std::vector<isa::KernelLaunch> launches;  ///< each with a recording
  std::vector<std::string> notes;  ///< one sentence each about something left out or filled in
  std::string content;             ///< a hash of the lines of each kernel, one after the other
  /// If not empty, the kernels cannot run because the models lack operations: a sentence with their
  /// number and the place of the first.
  std::string not_covered;
  /// The CUDA streams that the kernels name, each once; they are simulated as one.
  std::set<std::string> cuda_streams;
};

/// True for names that end in .tracez, .traceg or .g, the latter two possibly packed: .xz, .zst,
/// .gz.
bool is_recording(const std::string& path);

/// True for those that end in .g, possibly packed: lists of kernels.
bool is_list(const std::string& path);

/// The content of a .traceg or .tracez file or of a list of them, kernelslist.g; docs/traces.md
/// states what is kept. Throws InputError for a damaged file, `file:line:column: what: reason`, and
/// IoError.
RecordedStream load_recording(const std::string& path);

/// One .traceg file from `source`; `file_name` is for messages.
RecordedStream read_recording(std::unique_ptr<files::ByteSource> source,
                              const std::string& file_name);

class TemporaryFile;

/// The same; what the simulation reads again is added to `spool`, which any number of recordings
/// share, so that a list of them keeps one file open.
RecordedStream read_recording(std::unique_ptr<files::ByteSource> source,
                              const std::string& file_name, std::shared_ptr<TemporaryFile> spool);

}  // namespace tcsim::traceg
