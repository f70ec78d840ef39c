#pragma once

#include <string>

namespace tcsim::mma {

/// Place in a file; line and column count from 1.
struct Position {
  std::string file;
  int line = 1;
  int column = 1;
};

inline std::string to_string(const Position& position) {
  return position.file + ":" + std::to_string(position.line) + ":" +
         std::to_string(position.column);
}

}  // namespace tcsim::mma
