#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tcsim::report {

/// A network on a machine, and how it was asked to run: what titles of its runs say.
struct NetworkSetting {
  std::string machine;                   ///< as asked for: a word, or a file
  std::string machine_name;              ///< for titles: the word of a shipped one, or its name
  std::vector<std::string> overrides{};  ///< as words, "clocks.sm_mhz=1000"
  std::string network;
  int gpus = 1;  ///< the run is that of one; collective operations are among its steps
  std::int64_t batch = 1;
  std::int64_t tokens = 0;          ///< of a sample; 0: the network takes no sequence
  std::int64_t context_tokens = 0;  ///< that the attention of a decode pass reads; else 0
  bool tokens_were_asked = false;   ///< the request says how many; else the network
  std::string precision;
  std::string pass;          ///< "forward", "training", "decode"
  bool paged_cache = false;  ///< keys and values lie in pages
};

/// "tiny, batch 4, after 255 tokens, fp16, decode, paged cache": all but the machine.
std::string network_words(const NetworkSetting& setting);

/// "whole" or "paged", as files name it.
std::string kv_cache_word(const NetworkSetting& setting);

}  // namespace tcsim::report
