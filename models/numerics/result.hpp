#pragma once

#include <string>
#include <utility>
#include <variant>

namespace tcsim::numerics {

/// Why a request has no answer. A mistake is a malformed request. An unsupported request is
/// well-formed, but the hardware or our knowledge of it does not cover it.
struct Refusal {
  enum class Kind { kMistake, kUnsupported };
  Kind kind = Kind::kMistake;
  std::string reason;  ///< One sentence that quotes the bad word and names what is allowed.
};

inline Refusal mistake(std::string reason) { return {Refusal::Kind::kMistake, std::move(reason)}; }
inline Refusal unsupported(std::string reason) {
  return {Refusal::Kind::kUnsupported, std::move(reason)};
}

/// A value, or the reason why there is none.
///
///   const Result<Arithmetic> found = find_arithmetic(key);
///   if (!found.has_value()) return report(found.refusal());
///   use(found.value());
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : content_(std::move(value)) {}
  Result(Refusal refusal) : content_(std::move(refusal)) {}

  bool has_value() const { return std::holds_alternative<T>(content_); }
  /// Requires has_value().
  const T& value() const { return std::get<T>(content_); }
  /// Requires !has_value().
  const Refusal& refusal() const { return std::get<Refusal>(content_); }

 private:
  std::variant<T, Refusal> content_;
};

}  // namespace tcsim::numerics
