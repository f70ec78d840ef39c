#include "sim/mma/json_line.hpp"

#include "sim/mma/tile_record.hpp"
#include "tests/fuzz/target.hpp"

namespace tcsim::fuzz {
namespace {

constexpr std::string_view kFile = "input";

/// Calls a getter, which may refuse with a place in the file.
template <typename Getter>
bool accepts_place(const Getter& getter) {
  std::string refusal;
  try {
    getter();
    return true;
  } catch (const UsageError& error) {
    refusal = error.what();
  } catch (const NotCovered& error) {
    refusal = error.what();
  }
  require(refusal.starts_with(kFile), "json line: error without a place");
  return false;
}

bool run_json_line(Bytes bytes) {
  const std::string text(text_of(bytes));
  const std::string file(kFile);
  const bool is_object = accepts_place([&] {
    const mma::JsonLine line(text, file, 1);
    for (const char* key : {"instr", "A", "selector", ""}) {
      (void)accepts_place([&] { (void)line.string(key); });
      (void)accepts_place([&] { (void)line.integer(key); });
      (void)accepts_place([&] {
        const auto words = line.strings(key);
        (void)line.error(key, "reason", static_cast<int>(words.size()) - 1, 3);
      });
    }
  });
  const bool is_record = accepts_place([&] { (void)mma::parse_tile(text, file, 1); });
  require(is_object || !is_record, "json line: a record that is no object");
  return is_object;
}

std::string lanes(int registers) {
  std::string list = "[";
  for (int lane = 0; lane < 32; ++lane)
    list += (lane == 0 ? "\"" : ",\"") + std::string(8 * static_cast<std::size_t>(registers), '3') +
            "\"";
  return list + "]";
}

std::vector<std::string> json_line_seeds() {
  const std::string registers =
      R"("A":)" + lanes(4) + R"(,"B":)" + lanes(2) + R"(,"C":)" + lanes(4) + R"(,"D":)" + lanes(4);
  return {
      R"({"instr":"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32","numerics":"A100",)" +
          registers + "}",
      R"({"instr":"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32","selector":1,"E":)" +
          lanes(1) + "," + registers + "}",
      R"({"instr":"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16","B_kxn":["3c00"],"A":[]})",
      R"({"a\"b":{"c":[1,-2,3.5e9,null,true]},"instr":"\u00e4\\"})"};
}

}  // namespace

const Target json_line_target{"json_line", run_json_line, json_line_seeds, Form::kJson};

}  // namespace tcsim::fuzz
