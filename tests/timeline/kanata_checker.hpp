#pragma once

#include <string>

namespace tcsim::timeline::test {

/// The first broken rule of the Kanata 0004 format in `text`, as "line N: ...", or "". Stricter
/// than the viewer: stages end before the next starts on their lane, every instruction retires, and
/// an arrow starts at a stage with an X, without which Konata draws none.
std::string kanata_mistake(const std::string& text);

}  // namespace tcsim::timeline::test
