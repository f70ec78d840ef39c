#pragma once

#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tcsim::sweep {

/// An expression that cannot be read or evaluated; the message repeats it.
class ExpressionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One that can be evaluated, but to no finite number.
class NotFinite : public ExpressionError {
 public:
  using ExpressionError::ExpressionError;
};

/// Whether `name` stands in the expression `text`, not only as a part of a longer name.
bool has_name(std::string_view text, std::string_view name);

/// The value of `text`, with numbers, the names of `values`, + - * / ^, comparisons, && and ||,
/// a ? b : c, mod(a, b), and the functions of muParser (sqrt, log2, rint, min, max, ...). Throws
/// ExpressionError, also for several values between commas.
double evaluate(const std::string& text, const std::map<std::string, double>& values);

}  // namespace tcsim::sweep
