#pragma once

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tcsim::policy {

/// One of `Policies`, selected by its kName, which machine files use. Uses a variant instead of
/// virtual functions: a visit compiles to one jump to code with the policy inlined.
template <typename... Policies>
class Choice {
 public:
  /// The policy named `name`, constructed from `arguments`. Throws std::invalid_argument for a name
  /// that is not in the list; the reader of machine files lets none through.
  template <typename... Arguments>
  explicit Choice(std::string_view name, const Arguments&... arguments)
      : policy_(make<Policies...>(name, arguments...)) {}

  /// The names in the order of the list.
  static constexpr std::array<std::string_view, sizeof...(Policies)> names() {
    return {Policies::kName...};
  }
  /// The same in the form of the machine-file schema: "one|other". Valid for the whole program.
  static constexpr std::string_view words() { return {kWords.data(), kWords.size()}; }

  template <typename Visitor>
  decltype(auto) visit(Visitor&& visitor) {
    return std::visit(std::forward<Visitor>(visitor), policy_);
  }
  template <typename Visitor>
  decltype(auto) visit(Visitor&& visitor) const {
    return std::visit(std::forward<Visitor>(visitor), policy_);
  }

 private:
  using Variant = std::variant<Policies...>;

  template <typename First, typename... Rest, typename... Arguments>
  static Variant make(std::string_view name, const Arguments&... arguments) {
    if (name == First::kName) return Variant(std::in_place_type<First>, arguments...);
    if constexpr (sizeof...(Rest) > 0)
      return make<Rest...>(name, arguments...);
    else
      throw std::invalid_argument("no policy is called " + std::string(name));
  }

  static constexpr auto joined() {
    std::array<char, (Policies::kName.size() + ... + (sizeof...(Policies) - 1))> text{};
    auto end = text.begin();
    for (const std::string_view name : names()) {
      if (end != text.begin()) *end++ = '|';
      end = std::copy(name.begin(), name.end(), end);
    }
    return text;
  }
  static constexpr auto kWords = joined();

  Variant policy_;
};

}  // namespace tcsim::policy
