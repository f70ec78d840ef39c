#include "sim/serve/store.hpp"

#include <fcntl.h>
#include <sys/file.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/errors/errors.hpp"
#include "sim/files/read_file.hpp"
#include "sim/report/configuration_hash.hpp"
#include "sim/text/hex.hpp"

namespace tcsim::serve {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnfinished = "unfinished-";
constexpr std::size_t kKeyDigits = 32;
constexpr std::size_t kShortDigits = 8;

std::uintmax_t bytes_in(const fs::path& folder) {
  std::uintmax_t bytes = 0;
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(folder, error);
       !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code gone;
    if (entry->is_regular_file(gone)) bytes += entry->file_size(gone);
  }
  return bytes;
}

}  // namespace

Store::Store(const std::optional<fs::path>& path, int most_mib, bool read_only)
    : most_bytes_(static_cast<std::uintmax_t>(most_mib) << 20U) {
  if (!path) {
    temporary_ =
        std::make_unique<files::ScratchFolder>(files::temporary_directory(), "tcsim-serve-");
    path_ = temporary_->path();
    return;
  }
  path_ = fs::absolute(*path);
  std::error_code error;
  if (!read_only) fs::create_directories(path_, error);
  if (!fs::is_directory(path_, error))
    throw IoError(path_.string() + ": is not a folder, or cannot be created");
  if (!read_only) lock();
  read_entries();
  if (!read_only) make_room();
}

void Store::lock() {
  const fs::path file = path_ / "lock";
  lock_ = files::Descriptor(::open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock_.is_open()) throw IoError(file.string() + ": cannot open: " + std::strerror(errno));
  if (::flock(lock_.number(), LOCK_EX | LOCK_NB) != 0)
    throw UsageError("--store: " + path_.string() + ": another tcsim serve works in it");
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(path_))
    if (entry.path().filename().string().starts_with(kUnfinished)) left.push_back(entry.path());
  for (const fs::path& folder : left) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
}

void Store::read_entries() {
  std::vector<std::pair<fs::file_time_type, std::string>> found;
  for (const auto& entry : fs::directory_iterator(path_)) {
    std::error_code gone;
    const std::string name = entry.path().filename().string();
    if (is_key(name) && entry.is_directory(gone))
      found.emplace_back(entry.last_write_time(gone), name);
  }
  std::ranges::sort(found);
  for (const auto& [time, key] : found) add(key);
}

std::string Store::key_of(const std::string& program, const std::string& experiment) {
  return report::hash_text(program + '\n' + experiment);
}

bool Store::is_key(const std::string& word) {
  return word.size() == kKeyDigits && word.find_first_not_of(text::kHexDigits) == std::string::npos;
}

bool Store::has(const std::string& key, const std::string& experiment) {
  const auto entry = entries_.find(key);
  if (entry == entries_.end() || text(key, kExperiment) != experiment ||
      read(key, kResult).is_null() || directory(key).empty())
    return false;
  uses_.splice(uses_.end(), uses_, entry->second.use);
  return true;
}

std::optional<std::string> Store::text(const std::string& key, const char* name) const {
  if (!entries_.contains(key)) return std::nullopt;
  try {
    return files::read_file(folder(key) / name, files::FileKind::kRun);
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

json::Json Store::read(const std::string& key, const char* name) const {
  json::Json object =
      json::Json::parse(text(key, name).value_or(""), nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return nullptr;
  return object;
}

fs::path Store::directory(const std::string& key) const {
  if (!entries_.contains(key)) return {};
  fs::path directory = run_directory(folder(key), key);
  std::error_code gone;
  return fs::is_directory(directory, gone) ? directory : fs::path();
}

fs::path Store::run_directory(const fs::path& folder, const std::string& key) {
  return folder / ("run-" + key.substr(0, kShortDigits));
}

std::unique_ptr<files::ScratchFolder> Store::workplace() const {
  return std::make_unique<files::ScratchFolder>(path_, kUnfinished);
}

void Store::take(const std::string& key, const files::ScratchFolder& workplace) {
  std::error_code error;
  fs::remove_all(folder(key), error);
  fs::rename(workplace.path(), folder(key), error);
  if (error) throw IoError(folder(key).string() + ": cannot write: " + error.message());
  add(key);
  make_room();
}

void Store::add(const std::string& key) {
  if (const auto old = entries_.find(key); old != entries_.end()) {
    bytes_ -= old->second.bytes;
    uses_.erase(old->second.use);
    entries_.erase(old);
  }
  const std::uintmax_t bytes = bytes_in(folder(key));
  entries_[key] = {bytes, uses_.insert(uses_.end(), key)};
  bytes_ += bytes;
}

void Store::make_room() {
  while (bytes_ > most_bytes_ && uses_.size() > 1) {
    const auto entry = entries_.find(uses_.front());
    std::error_code ignored;
    fs::remove_all(folder(entry->first), ignored);
    bytes_ -= entry->second.bytes;
    uses_.pop_front();
    entries_.erase(entry);
  }
}

}  // namespace tcsim::serve
