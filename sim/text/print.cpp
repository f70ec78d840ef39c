#include "sim/text/print.hpp"

#include "sim/text/outgoing.hpp"

namespace tcsim::text {

void write(std::FILE* stream, std::string_view text) {
  const std::string shown = visible(text);
  std::fwrite(shown.data(), 1, shown.size(), stream);  // main asks the stream at the end
}

}  // namespace tcsim::text
