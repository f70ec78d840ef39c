#pragma once

#include <filesystem>

#include "sim/sweep/folder.hpp"
#include "sim/sweep/plan.hpp"

namespace tcsim::sweep {

// A folder may come from someone else. What stands in it may be wrong, and must not make tcsim
// write, remove or run anything outside it.

/// Throws FolderRefused if the folder at `path` or one of those that a sweep has in it is a
/// symbolic link or no folder at all.
void refuse_links(const std::filesystem::path& path);

/// Throws std::runtime_error if what becomes the name of a file breaks the rule of names
/// (sim/text/name.hpp): of the sweep, its program, its plots, keys of points.
void check_file_names(const Plan& plan);

/// Whether a plan gives points such a command: tcsim run of a workload on a machine, with changes
/// of machine keys and options that sweeps have; it reads files of inputs/ alone and writes none.
bool is_command_of_a_point(const std::vector<std::string>& command);

/// Throws FolderRefused if the points of `folder` are for another program than this one, if a
/// command is none of a point, or if an input is not what its name states.
void refuse_foreign_work(const Folder& folder);

}  // namespace tcsim::sweep
