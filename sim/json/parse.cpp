#include "sim/json/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "sim/config/error.hpp"
#include "sim/files/read_file.hpp"

namespace tcsim::json {
namespace {

constexpr std::size_t kShownBytes = 40;  // of a word in a message

std::string shortened(std::string_view text) {
  return text.size() <= kShownBytes ? std::string(text)
                                    : std::string(text.substr(0, kShownBytes)) + "...";
}

/// "file:line:column" of the byte `offset` of `text`.
std::string place_of(std::string_view text, const std::string& name, std::size_t offset,
                     int first_line) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + first_line;
  const std::size_t begin = before.rfind('\n') + 1;  // npos + 1 is 0
  return fmt::format("{}:{}:{}", name, line, before.size() - begin + 1);
}

/// Gives a text to the library's parser and counts what that has read, since its events have no
/// place.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  Cursor(const char* at, std::size_t& read) : at_(at), read_(&read) {}

  char operator*() const { return *at_; }
  Cursor& operator++() {
    ++at_;
    ++*read_;
    return *this;
  }
  bool operator==(const Cursor& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  std::size_t* read_;
};

/// Where and why a text is refused: at the last character that was read.
struct Trouble {
  std::size_t offset = 0;
  std::string reason;
};

/// Receives the events of the library's parser and builds nothing, so this pass needs memory only
/// for the open objects, whatever the text.
class Checker {
 public:
  /// `read` is the number of characters that the parser has read.
  Checker(const Limits& limits, const std::size_t& read) : limits_(limits), read_(read) {}

  bool null() { return true; }
  bool boolean(bool /*value*/) { return true; }
  bool number_integer(std::int64_t /*value*/) { return true; }
  bool number_unsigned(std::uint64_t /*value*/) { return true; }
  bool number_float(double /*value*/, const std::string& /*text*/) { return true; }
  bool string(std::string& /*value*/) { return true; }
  bool binary(std::vector<std::uint8_t>& /*value*/) { return true; }
  bool start_array(std::size_t /*elements*/) { return enter(); }
  bool end_array() { return leave(); }
  bool start_object(std::size_t /*elements*/) { return enter(); }
  bool end_object() { return leave(); }

  bool key(std::string& key) {
    std::set<std::string>& keys = keys_.back();
    if (!keys.insert(key).second) return refuse(fmt::format("{}: given twice", shortened(key)));
    if (keys.size() > limits_.keys_of_an_object)
      return refuse(fmt::format("an object with more than {} keys", limits_.keys_of_an_object));
    return true;
  }

  bool parse_error(std::size_t position, const std::string& token,
                   const nlohmann::detail::exception& error) {
    constexpr int kNumberOverflow = 406;
    const std::string_view what = error.what();
    // Behind these words it repeats the text.
    const std::string_view cause = what.substr(0, what.find("; last read: "));
    const bool is_text = cause.find("ill-formed UTF-8") != std::string_view::npos;
    refuse(error.id == kNumberOverflow ? fmt::format("the number {} is too large", shortened(token))
           : is_text                   ? "the text is not UTF-8"
                                       : "is no JSON document");
    trouble_.offset = position == 0 ? 0 : position - 1;
    return false;
  }

  [[nodiscard]] const Trouble& trouble() const { return trouble_; }

 private:
  bool enter() {
    keys_.emplace_back();
    if (keys_.size() > static_cast<std::size_t>(limits_.levels))
      return refuse(fmt::format("nested deeper than {} levels", limits_.levels));
    return true;
  }
  bool leave() {
    keys_.pop_back();
    return true;
  }
  bool refuse(std::string reason) {
    trouble_ = {read_ - 1, std::move(reason)};
    return false;
  }

  const Limits& limits_;
  const std::size_t& read_;
  std::vector<std::set<std::string>> keys_;  // of the open objects and arrays
  Trouble trouble_;
};

}  // namespace

void check_text(std::string_view text, const std::string& name, const Limits& limits,
                int first_line) {
  std::size_t read = 0;
  Checker checker(limits, read);
  const char* const end = text.data() + text.size();
  if (Json::sax_parse(Cursor(text.data(), read), Cursor(end, read), &checker)) return;
  const Trouble& trouble = checker.trouble();
  throw config::ConfigError(
      {fmt::format("{}: {}", place_of(text, name, trouble.offset, first_line), trouble.reason)});
}

View parse(std::string_view text, const std::string& name, const Limits& limits) {
  check_text(text, name, limits);
  return {Json::parse(text.begin(), text.end()), name};
}

View read(const std::filesystem::path& path, const Limits& limits) {
  return parse(files::read_file(path, files::FileKind::kRun), path.string(), limits);
}

}  // namespace tcsim::json
