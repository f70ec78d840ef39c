#pragma once

#include <filesystem>

#include "sim/sweep/folder.hpp"
#include "sim/sweep/plan.hpp"

namespace tcsim::sweep {

// A folder may come from someone else. Its content may be wrong, but must not make tcsim write,
// remove or run anything outside it.

/// Throws FolderRefused if the folder at `path`, or one of a sweep's folders in it, is a symbolic
/// link or not a folder.
void refuse_links(const std::filesystem::path& path);

/// Throws std::runtime_error if a name that becomes the name of a file (of the sweep, its program,
/// its plots, keys of points) breaks the rule of names (sim/text/name.hpp).
void check_file_names(const Plan& plan);

/// Whether a plan can give points this command: tcsim run of a workload on a machine, with changed
/// machine keys and options that sweeps have; it reads only files of inputs/ and writes none.
bool is_command_of_a_point(const std::vector<std::string>& command);

/// Throws FolderRefused if the points of `folder` are for another program than this one, if a
/// command is not one of a point, or if an input is not what its name states.
void refuse_foreign_work(const Folder& folder);

}  // namespace tcsim::sweep
