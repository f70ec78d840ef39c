#include "sim/mma/vector_table.hpp"

#include "sim/errors/errors.hpp"
#include "tests/fuzz/target.hpp"

namespace tcsim::fuzz {
namespace {

using numerics::ElementType;

numerics::Arithmetic arithmetic(ElementType input, ElementType accumulator) {
  return numerics::find_arithmetic({.a = input, .b = input, .accumulator = accumulator}).value();
}

const numerics::Arithmetic& chosen(std::uint8_t choice) {
  static const std::vector<numerics::Arithmetic> all{
      arithmetic(ElementType::kFp16, ElementType::kFp32),
      arithmetic(ElementType::kFp64, ElementType::kFp64),
      arithmetic(ElementType::kInt4, ElementType::kInt32),
      arithmetic(ElementType::kB1, ElementType::kInt32)};
  return all[choice % all.size()];
}

/// The first byte chooses the arithmetic, the rest is the file: a header and rows.
bool run_vector_table(Bytes bytes) {
  if (bytes.empty()) return false;
  const std::string_view text = text_of(bytes.subspan(1));
  const std::size_t header_end = std::min(text.find('\n'), text.size());
  try {
    const mma::VectorTable table("input", std::string(text.substr(0, header_end)),
                                 chosen(bytes[0]));
    int line = 1;
    for (std::size_t begin = header_end + 1; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const mma::Vector row = table.parse(std::string(text.substr(begin, end - begin)), ++line);
      require(row.a.size() == row.b.size() && row.d.size() == table.results().size(),
              "vector table: a row that does not fit");
      begin = end + 1;
    }
    return true;
  } catch (const UsageError& error) {
    require(std::string_view(error.what()).starts_with("input:"),
            "vector table: error without a place");
    return false;
  }
}

std::vector<std::string> vector_table_seeds() {
  using namespace std::string_literals;
  return {"\0cat,a,b,c,d\nx,3c003c00,3c003c00,00000000,40000000\ny,3c00,3c00,3f800000,40000000\n"s,
          "\1a,b,c,d\n3ff0000000000000,3ff0000000000000,0000000000000000,nan\n"s,
          "\2a,b,c,d_wrap,d_satfinite\n71,11,7fffffff,80000007,7fffffff\n"s,
          "\3a,b,c,d_xor_popc,d_and_popc\nff00,f0f0,00000001,00000009,00000005\n"s};
}

}  // namespace

const Target vector_table_target{"vector_table", run_vector_table, vector_table_seeds, Form::kText};

}  // namespace tcsim::fuzz
