#include "models/isa/group_mma.hpp"

#include <charconv>

namespace tcsim::isa {

std::string why_no_group_mma(std::string_view mnemonic) {
  const GroupFormats* family = nullptr;
  std::string_view rest;
  for (const GroupFormats& formats : kGroupFormats)
    for (const std::string_view rows : {".64x", ".SP.64x"}) {
      if (!mnemonic.starts_with(std::string(formats.prefix) + std::string(rows))) continue;
      family = &formats;
      rest = mnemonic.substr(formats.prefix.size() + rows.size());
    }
  if (family == nullptr) return {};
  int n = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), n);
  if (error != std::errc{} || n < kGroupWidthStep || n > kMostGroupWidth)
    return "n is a multiple of 8 from 8 to 256";
  if (n % kGroupWidthStep != 0) return "n is " + std::to_string(n) + ", not a multiple of 8";
  if (!numerics::is_wgmma_width(family->a, n))
    return "n of INT8 is " + std::to_string(n) + ", from 32 on a multiple of 16";
  return {};
}

}  // namespace tcsim::isa
