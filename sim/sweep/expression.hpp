#pragma once

#include <map>
#include <stdexcept>
#include <string>

namespace tcsim::sweep {

/// An expression that cannot be read or evaluated; the message repeats it.
class ExpressionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The value of `text`, with numbers, the names of `values`, + - * / ^, comparisons, && and ||,
/// a ? b : c, mod(a, b), and the functions of muParser (sqrt, log2, rint, min, max, ...). Throws
/// ExpressionError.
double evaluate(const std::string& text, const std::map<std::string, double>& values);

}  // namespace tcsim::sweep
