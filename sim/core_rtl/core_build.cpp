#include "sim/core_rtl/core_build.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sim/core_rtl/core_source.hpp"
#include "sim/core_rtl/tools.hpp"
#include "sim/errors/errors.hpp"
#include "sim/files/atomic_file.hpp"
#include "sim/files/descriptor.hpp"
#include "sim/files/scratch_folder.hpp"
#include "sim/process/child_pool.hpp"
#include "sim/process/verdict.hpp"

namespace tcsim::core_rtl {
namespace {

namespace fs = std::filesystem;

constexpr std::array kTops{CoreTop::kArray, CoreTop::kWarp};
constexpr std::string_view kBuilding = "building-";

// With the sources and the versions of the tools, these identify a build in the cache.
constexpr std::array<const char*, 14> kVerilatorFlags{"--cc",
                                                      "-O3",
                                                      "--prefix",
                                                      "Vcore",
                                                      "--assert",
                                                      "--x-assign",
                                                      "fast",
                                                      "--x-initial",
                                                      "fast",
                                                      "-Wno-fatal",
                                                      "-Wno-lint",
                                                      "-Wno-style",
                                                      "--timescale-override",
                                                      "1ns/1ps"};
constexpr std::array<const char*, 7> kCompilerFlags{
    "-std=c++17", "-g0", "-fPIC", "-fvisibility=hidden", "-DVL_USER_STOP", "-w", "-pthread"};
constexpr const char* kCoreLevel = "-O2";
constexpr const char* kRuntimeLevel = "-O0";
constexpr int kLayout = 1;  // raise it when core_source, the runtime or link_command changes

// File names without extensions.
constexpr const char* kCore = "core";
constexpr const char* kRuntime = "runtime";

/// Creates `folder`, for this user only, and its parents. Throws IoError.
void make_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::create_directories(folder, error)) fs::permissions(folder, fs::perms::owner_all, error);
  if (error) throw IoError(fmt::format("{}: cannot make: {}", folder.string(), error.message()));
}

/// A folder in which only this process works for the lifetime of this object. A lock ends with its
/// process, even if another process receives the same number later.
class FolderLock {
 public:
  /// Waits for another process's lock if `waits`; otherwise is_held tells whether the lock was
  /// obtained.
  FolderLock(const fs::path& folder, bool waits)
      : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)),
        is_held_(descriptor_.is_open() &&
                 ::flock(descriptor_.number(), waits ? LOCK_EX : LOCK_EX | LOCK_NB) == 0) {}
  [[nodiscard]] bool is_held() const { return is_held_; }

 private:
  files::Descriptor descriptor_;
  bool is_held_;
};

/// Removes what killed builders have left.
void remove_abandoned(const fs::path& cache) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(cache, ignored)) {
    if (!entry.path().filename().string().starts_with(kBuilding)) continue;
    if (FolderLock(entry.path(), /*waits=*/false).is_held()) fs::remove_all(entry.path(), ignored);
  }
}

/// A new folder to build in, locked.
class BuildingFolder {
 public:
  explicit BuildingFolder(const fs::path& cache)
      : folder_(cache, std::string(kBuilding)), lock_(folder_.path(), /*waits=*/true) {}
  [[nodiscard]] const fs::path& path() const { return folder_.path(); }

 private:
  files::ScratchFolder folder_;
  FolderLock lock_;
};

/// A new folder, after removal of what killed builders have left. While the cache is locked, no
/// process mistakes a folder that is not locked yet for an abandoned one.
std::unique_ptr<BuildingFolder> new_folder_in(const fs::path& cache) {
  const FolderLock alone(cache, /*waits=*/true);
  remove_abandoned(cache);
  return std::make_unique<BuildingFolder>(cache);
}

std::string hash_of(const CorePlan& plan, const Tools& tools) {
  std::string all = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n", tools.verilator_version, tools.compiler,
                                tools.compiler_version, kCoreLevel, kRuntimeLevel, kLayout);
  for (const char* const flag : kVerilatorFlags) all += fmt::format("{}\n", flag);
  for (const char* const flag : kCompilerFlags) all += fmt::format("{}\n", flag);
  for (const CoreTop top : kTops)
    for (const SourceFile& file : sources_of(plan, top)) all += file.name + "\n" + file.text + "\n";
  const XXH128_hash_t hash = XXH3_128bits(all.data(), all.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

process::Command verilator_command(const Tools& tools, CoreTop top, const fs::path& folder) {
  process::Command command{{tools.verilator}};
  command.words.insert(command.words.end(), kVerilatorFlags.begin(), kVerilatorFlags.end());
  command.words.insert(
      command.words.end(),
      {"--Mdir", (folder / "generated").string(), "--top-module", "core_" + name_of(top),
       "-I" + folder.string(), (folder / "core.vlt").string(), (folder / "mma_pkg.sv").string(),
       (folder / fmt::format("core_{}.sv", name_of(top))).string()});
  return command;
}

/// Verilator's output as one file, so that its headers are read once. Code that runs only once is
/// not optimised; that would take most of the time.
std::string core_source(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "generated"))
    if (entry.path().extension() == ".cpp") names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  std::string every_cycle = "#include \"core_wrapper.cpp\"\n";
  std::string once = "#pragma GCC optimize(\"O0\")\n";
  for (const std::string& name : names) {
    const bool runs_once = name.find("Slow") != name.npos || name.find("__Syms") != name.npos;
    (runs_once ? once : every_cycle) += fmt::format("#include \"generated/{}\"\n", name);
  }
  return every_cycle + once;
}

/// The command that compiles `text`, which it writes next to it, into `object`.o.
process::Command compiler_command(const Tools& tools, const fs::path& object,
                                  const std::string& text, const char* level,
                                  const std::vector<fs::path>& includes) {
  const std::string source = object.string() + ".cpp";
  files::write_atomically(source, text);
  process::Command command{{tools.compiler, level}};
  command.words.insert(command.words.end(), kCompilerFlags.begin(), kCompilerFlags.end());
  for (const fs::path& include : includes) command.words.push_back("-I" + include.string());
  command.words.insert(command.words.end(), {"-c", "-o", object.string() + ".o", source});
  return command;
}

/// The commands that compile the cores of `folder`, and Verilator's own files for all of them.
std::vector<process::Command> compiler_commands(const Tools& tools, const fs::path& folder) {
  const fs::path verilator = tools.verilator_include;
  const fs::path types = verilator / "vltstd";
  std::vector<process::Command> commands{compiler_command(
      tools, folder / kRuntime, "#include <verilated.cpp>\n#include <verilated_threads.cpp>\n",
      kRuntimeLevel, {verilator, types})};
  for (const CoreTop top : kTops) {
    const fs::path place = folder / name_of(top);
    commands.push_back(compiler_command(tools, place / kCore, core_source(place), kCoreLevel,
                                        {verilator, types, place, place / "generated"}));
  }
  return commands;
}

process::Command link_command(const Tools& tools, const fs::path& folder, CoreTop top) {
  const std::string core = (folder / name_of(top) / kCore).string();
  return {{tools.compiler, "-shared", "-fPIC", "-pthread", "-Wl,-z,defs", "-o", core + ".so",
           core + ".o", (folder / kRuntime).string() + ".o"}};
}

[[noreturn]] void throw_interrupted() { throw IoError("building the RTL was interrupted"); }

/// Writing files to disk can take longer than a stop waits for work that does not check for it.
void throw_if_stopped(const BuildEvents& events) {
  if (events.pending_signal && events.pending_signal() != 0) throw_interrupted();
}

/// A tool that ran and failed.
class ToolFailed : public IoError {
 public:
  using IoError::IoError;
};

/// Runs all commands, two at a time. Throws ToolFailed with the output of a failing one.
void run_all(const std::vector<process::Command>& commands, const BuildEvents& events) {
  process::PoolOptions options;
  options.jobs = 2;
  const process::ChildPool pool(options);
  process::PoolEvents pool_events{{}, [](std::size_t, const auto&) {}, [] { return 0; }};
  if (events.pending_signal) pool_events.pending_signal = events.pending_signal;
  const std::vector<process::ChildResult> results = pool.run(commands, pool_events);
  for (std::size_t i = 0; i < results.size(); ++i) {
    const process::ChildResult& result = results[i];
    if (result.stopped || !result.started) throw_interrupted();
    if (result.status != 0 || result.signal != 0)
      throw ToolFailed(fmt::format("{}: {}\n{}{}", commands[i].words[0],
                                   process::verdict_of(result).words, result.output,
                                   result.errors));
  }
}

void build_into(const fs::path& folder, const CorePlan& plan, const Tools& tools,
                const BuildEvents& events) {
  std::vector<process::Command> verilate;
  for (const CoreTop top : kTops) {
    const fs::path place = folder / name_of(top);
    make_folder(place);
    for (const SourceFile& file : sources_of(plan, top)) {
      throw_if_stopped(events);
      files::write_atomically(place / file.name, file.text);
    }
    verilate.push_back(verilator_command(tools, top, place));
  }
  try {
    run_all(verilate, events);
  } catch (const ToolFailed& error) {
    if (plan.own_modules.empty()) throw;
    throw UsageError(std::string("--rtl: no RTL that Verilator takes: ") + error.what());
  }
  run_all(compiler_commands(tools, folder), events);
  std::vector<process::Command> link;
  for (const CoreTop top : kTops) link.push_back(link_command(tools, folder, top));
  run_all(link, events);
  for (const CoreTop top : kTops) {
    const fs::path place = folder / name_of(top);
    fs::rename(place / fmt::format("{}.so", kCore), folder / (name_of(top) + ".so"));
    fs::rename(place / fmt::format("core_{}.sv", name_of(top)),
               folder / fmt::format("core_{}.sv", name_of(top)));
    fs::remove_all(place);
  }
  for (const char* const ending : {".cpp", ".o"})
    fs::remove(folder / fmt::format("{}{}", kRuntime, ending));
}

bool is_complete(const fs::path& folder) {
  return fs::exists(folder / "array.so") && fs::exists(folder / "warp.so");
}

/// Renames the build to `target`, unless another builder was faster; a `target` that lacks a file
/// is removed. Throws IoError.
void publish(const fs::path& built, const fs::path& target) {
  const FolderLock alone(target.parent_path(), /*waits=*/true);
  if (is_complete(target)) return;
  std::error_code error;
  fs::remove_all(target, error);
  if (!error) fs::rename(built, target, error);
  if (error) throw IoError(fmt::format("{}: cannot write: {}", target.string(), error.message()));
}

}  // namespace

fs::path cache_folder() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
  };
  if (const std::string own = variable("TCSIM_CACHE"); !own.empty()) return own;
  if (const std::string all = variable("XDG_CACHE_HOME"); !all.empty()) return all + "/tcsim";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/tcsim";
  throw IoError("no folder for built RTL: set TCSIM_CACHE to one");
}

BuiltCore build_core(const CorePlan& plan, const BuildEvents& events) {
  const Tools tools = find_tools();
  const fs::path cache = cache_folder() / "rtl";
  BuiltCore built{.folder = cache / hash_of(plan, tools),
                  .verilator = tools.verilator_version,
                  .compiler = tools.compiler_version};
  built.was_there = is_complete(built.folder);
  if (built.was_there) return built;
  const auto start = std::chrono::steady_clock::now();
  make_folder(cache);
  if (events.note)
    events.note(fmt::format("{}: building the RTL of its tensor cores into {}", plan.machine,
                            built.folder.string()));
  throw_if_stopped(events);  // from here on there is something to clean up
  const std::unique_ptr<BuildingFolder> folder = new_folder_in(cache);
  build_into(folder->path(), plan, tools, events);
  publish(folder->path(), built.folder);
  built.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return built;
}

}  // namespace tcsim::core_rtl
