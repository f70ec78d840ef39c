#include "sim/labs/secret.hpp"

#include <openssl/crypto.h>

#include "sim/config/error.hpp"
#include "sim/files/read_file.hpp"

namespace tcsim::labs {

CourseSecret::CourseSecret(const std::filesystem::path& file) {
  text_ = files::read_file(file, files::FileKind::kLab);
  text_.erase(text_.find_last_not_of("\r\n") + 1);
  if (text_.empty()) throw config::ConfigError({file.string() + ": the course secret is empty"});
}

CourseSecret::~CourseSecret() { OPENSSL_cleanse(text_.data(), text_.size()); }

}  // namespace tcsim::labs
