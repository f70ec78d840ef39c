#include "sim/report/network_setting.hpp"

#include <fmt/format.h>

#include "sim/text/counted.hpp"

namespace tcsim::report {

std::string network_words(const NetworkSetting& setting) {
  const std::string tokens =
      setting.context_tokens > 0  ? ", after " + text::counted(setting.context_tokens - 1, "token")
      : setting.tokens_were_asked ? ", " + text::counted(setting.tokens, "token")
                                  : "";
  return fmt::format("{}, batch {}{}, {}, {}{}", setting.network, setting.batch, tokens,
                     setting.precision, setting.pass, setting.paged_cache ? ", paged cache" : "");
}

std::string kv_cache_word(const NetworkSetting& setting) {
  return setting.paged_cache ? "paged" : "whole";
}

}  // namespace tcsim::report
