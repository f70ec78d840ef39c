#include "models/numerics/execute.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/numerics/convert.hpp"
#include "models/numerics/mma.hpp"
#include "models/numerics/ptx_name.hpp"
#include "tests/numerics/patterns.hpp"

namespace tcsim::numerics {
namespace {

using Matrix = std::vector<std::vector<std::uint64_t>>;
using Image = std::vector<std::uint32_t>;

enum class Content { kAnyBits, kFiniteNumbers };

std::uint64_t draw(PatternSource& source, ElementType type, Content content) {
  const bool number = info(type).element_class == ElementClass::kFloat &&
                      (content == Content::kFiniteNumbers || source.number(0, 7) != 0);
  return number ? source.with_exponent(type, -6, 6) : source.random_bits(type);
}

Matrix random_matrix(PatternSource& source, ElementType type, int rows, int columns,
                     Content content = Content::kAnyBits) {
  Matrix matrix(static_cast<std::size_t>(rows),
                std::vector<std::uint64_t>(static_cast<std::size_t>(columns)));
  for (auto& row : matrix)
    for (auto& element : row) element = draw(source, type, content);
  return matrix;
}

/// Registers in which every thread holds what Fragment::slot says.
void place(const Fragment& fragment, const Matrix& matrix, int index, Image& image) {
  const auto registers = static_cast<std::size_t>(fragment.registers_per_lane());
  image.resize(static_cast<std::size_t>(fragment.lanes()) * registers);
  for (int row = 0; row < fragment.rows(); ++row)
    for (int column = 0; column < fragment.columns(); ++column) {
      const FragmentSlot slot = fragment.slot({index, row, column});
      fragment.write(
          std::span(image).subspan(static_cast<std::size_t>(slot.lane) * registers, registers),
          slot.element, matrix[row][column]);
    }
}

std::uint64_t element(const Fragment& fragment, const Image& image, MatrixPosition at) {
  const auto registers = static_cast<std::size_t>(fragment.registers_per_lane());
  const FragmentSlot slot = fragment.slot(at);
  return fragment.read(
      std::span(image).subspan(static_cast<std::size_t>(slot.lane) * registers, registers),
      slot.element);
}

std::vector<std::uint64_t> column_of(const Matrix& matrix, int column) {
  std::vector<std::uint64_t> result;
  for (const auto& row : matrix) result.push_back(row[column]);
  return result;
}

/// Runs the instruction on random matrices and compares with one mma() per element.
void expect_products(const std::string& ptx_name, Generation generation) {
  SCOPED_TRACE(ptx_name);
  const MmaInstruction one = parse_ptx_name(ptx_name).value();
  MmaExecutor executor = MmaExecutor::create(one, generation).value();
  const MmaShape shape = one.shape;
  PatternSource source(7);
  std::vector<Matrix> a;
  std::vector<Matrix> b;
  std::vector<Matrix> c;
  Image a_image;
  Image b_image;
  Image c_image;
  Image b_matrix;
  for (int matrix = 0; matrix < one.matrices(); ++matrix) {
    a.push_back(random_matrix(source, one.a, shape.m, shape.k));
    b.push_back(random_matrix(source, one.b, shape.k, shape.n));
    c.push_back(random_matrix(source, one.c, shape.m, shape.n));
    place(Fragment(one, OperandRole::kA), a.back(), matrix, a_image);
    if (one.kind == InstructionKind::kMma)
      place(Fragment(one, OperandRole::kB), b.back(), matrix, b_image);
    if (one.kind == InstructionKind::kWgmma)
      for (const auto& row : b.back()) b_matrix.insert(b_matrix.end(), row.begin(), row.end());
    place(Fragment(one, OperandRole::kC), c.back(), matrix, c_image);
  }
  const auto d = executor.execute({a_image, b_image, b_matrix, c_image, {}, 0});
  ASSERT_TRUE(d.has_value());
  const Fragment d_fragment(one, OperandRole::kD);
  for (int matrix = 0; matrix < one.matrices(); ++matrix)
    for (int row = 0; row < shape.m; ++row)
      for (int column = 0; column < shape.n; ++column) {
        std::uint64_t start = c[matrix][row][column];
        if (one.c != one.d) start = fp16_to_fp32(static_cast<std::uint16_t>(start));
        ASSERT_EQ(element(d_fragment, d.value(), {matrix, row, column}),
                  mma(executor.arithmetic(), a[matrix][row], column_of(b[matrix], column), start))
            << row << ',' << column;
      }
}

TEST(MmaExecutor, EveryDenseWarpInstructionMultipliesItsMatrices) {
  expect_products("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", Generation::kVolta);
  expect_products("mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f16", Generation::kVolta);
  expect_products("mma.sync.aligned.m8n8k4.col.col.f16.f16.f16.f16", Generation::kTuring);
  expect_products("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16", Generation::kTuring);
  expect_products("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", Generation::kAmpere);
  expect_products("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", Generation::kHopper);
  expect_products("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", Generation::kAmpere);
  expect_products("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32", Generation::kHopper);
  expect_products("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", Generation::kAmpere);
  expect_products("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64", Generation::kHopper);
  expect_products("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32", Generation::kAda);
  expect_products("mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e5m2.f16", Generation::kHopper);
  expect_products("mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32", Generation::kTuring);
  expect_products("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.u8.s32", Generation::kAmpere);
  expect_products("mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32", Generation::kAda);
  expect_products("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", Generation::kTuring);
  expect_products("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", Generation::kAmpere);
}

TEST(MmaExecutor, ThePlainPathGivesTheSameRegisters) {
  const MmaInstruction one =
      parse_ptx_name("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32").value();
  PatternSource source(5);
  Image a(128);
  Image b(64);
  Image c(128);
  for (Image* image : {&a, &b, &c})
    for (std::uint32_t& word : *image)
      word = static_cast<std::uint32_t>(source.random_bits(ElementType::kFp32));
  for (const Generation generation : {Generation::kAmpere, Generation::kHopper}) {
    MmaExecutor fast = MmaExecutor::create(one, generation).value();
    MmaExecutor plain = MmaExecutor::create(one, generation, {}, MmaExecutor::Path::kPlain).value();
    EXPECT_EQ(fast.execute({a, b, {}, c, {}, 0}).value(),
              plain.execute({a, b, {}, c, {}, 0}).value());
  }
}

TEST(MmaExecutor, EveryWarpgroupInstructionMultipliesItsMatrices) {
  expect_products("wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16", Generation::kHopper);
  expect_products("wgmma.mma_async.sync.aligned.m64n24k16.f16.f16.f16", Generation::kHopper);
  expect_products("wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32", Generation::kHopper);
  expect_products("wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e4m3", Generation::kHopper);
  expect_products("wgmma.mma_async.sync.aligned.m64n32k32.satfinite.s32.u8.s8",
                  Generation::kHopper);
  expect_products("wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc", Generation::kHopper);
}

/// A sparse product must equal the dense one of the expanded A when no block boundary can show.
void expect_sparse_equals_expanded(const std::string& ptx_name, Generation generation) {
  SCOPED_TRACE(ptx_name);
  const MmaInstruction one = parse_ptx_name(ptx_name).value();
  MmaExecutor executor = MmaExecutor::create(one, generation).value();
  const int length = sparse_chunk(one.a);
  const int selector = MetadataLayout::selectors(one) - 1;
  const MetadataLayout layout(one, selector);
  PatternSource source(11);
  const Matrix stored =
      random_matrix(source, one.a, one.shape.m, one.shape.k / 2, Content::kFiniteNumbers);
  const Matrix b = random_matrix(source, one.b, one.shape.k, one.shape.n, Content::kFiniteNumbers);
  const Matrix c = random_matrix(source, one.c, one.shape.m, one.shape.n);
  Image metadata(static_cast<std::size_t>(one.lanes()));
  Matrix expanded(static_cast<std::size_t>(one.shape.m));
  const std::vector<std::uint32_t> legal =
      one.a == ElementType::kTf32 ? std::vector<std::uint32_t>{0x4, 0xe}
                                  : std::vector<std::uint32_t>{0x4, 0x8, 0xc, 0x9, 0xd, 0xe};
  for (int row = 0; row < one.shape.m; ++row) {
    expanded[row].resize(static_cast<std::size_t>(one.shape.k));
    for (int chunk = 0; chunk < layout.chunks_per_row(); ++chunk) {
      const auto nibble = static_cast<std::uint8_t>(
          legal[static_cast<std::size_t>(source.number(0, static_cast<int>(legal.size()) - 1))]);
      const auto slot = layout.slot({row, chunk});
      metadata[slot.lane] |= std::uint32_t{nibble} << (4 * slot.nibble);
      const auto kept = selected_positions(one.a, std::vector<std::uint8_t>{nibble}, true).value();
      for (int i = 0; i < length / 2; ++i)
        expanded[row][chunk * length + kept[i]] = stored[row][chunk * (length / 2) + i];
    }
  }
  Image a_image;
  Image b_image;
  Image c_image;
  Image b_matrix;
  place(Fragment(one, OperandRole::kA), stored, 0, a_image);
  if (one.kind == InstructionKind::kMma) place(Fragment(one, OperandRole::kB), b, 0, b_image);
  if (one.kind == InstructionKind::kWgmma)
    for (const auto& row : b) b_matrix.insert(b_matrix.end(), row.begin(), row.end());
  place(Fragment(one, OperandRole::kC), c, 0, c_image);
  const auto d = executor.execute({a_image, b_image, b_matrix, c_image, metadata, selector});
  ASSERT_TRUE(d.has_value()) << d.refusal().reason;
  Arithmetic whole_row = executor.arithmetic();  // one block holds the dense row: zeros add nothing
  whole_row.block.products = 2 * executor.arithmetic().block.products;
  const Fragment d_fragment(one, OperandRole::kD);
  for (int row = 0; row < one.shape.m; ++row)
    for (int column = 0; column < one.shape.n; ++column)
      ASSERT_EQ(element(d_fragment, d.value(), {0, row, column}),
                mma(whole_row, expanded[row], column_of(b, column), c[row][column]))
          << row << ',' << column;
}

TEST(MmaExecutor, SparseInstructionsEqualTheExpandedProduct) {
  // Integers may chain any way; of the floating-point ones those whose block is the whole row.
  expect_sparse_equals_expanded("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32",
                                Generation::kHopper);
  expect_sparse_equals_expanded("mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",
                                Generation::kAmpere);
  expect_sparse_equals_expanded("mma.sp.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
                                Generation::kAmpere);
  expect_sparse_equals_expanded("mma.sp.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32",
                                Generation::kHopper);
  expect_sparse_equals_expanded("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.bf16.bf16",
                                Generation::kHopper);
  expect_sparse_equals_expanded("wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.tf32.tf32",
                                Generation::kHopper);
  expect_sparse_equals_expanded("mma.sp.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32",
                                Generation::kAmpere);
  expect_sparse_equals_expanded("mma.sp.sync.aligned.m16n8k64.row.col.s32.u8.s8.s32",
                                Generation::kAmpere);
  expect_sparse_equals_expanded("mma.sp.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32",
                                Generation::kAmpere);
  expect_sparse_equals_expanded("mma.sp.sync.aligned.m16n8k128.row.col.satfinite.s32.s4.u4.s32",
                                Generation::kAmpere);
}

TEST(MmaExecutor, IllegalMetadataNamesTheRow) {
  const MmaInstruction one =
      parse_ptx_name("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32").value();
  MmaExecutor executor = MmaExecutor::create(one, Generation::kAmpere).value();
  const Image a(64);
  const Image b(64);
  const Image c(128);
  Image metadata(32, 0x44444444);
  metadata[12] = 0x44440444;
  const auto d = executor.execute({a, b, {}, c, metadata, 0});
  ASSERT_FALSE(d.has_value());
  EXPECT_THAT(d.refusal().reason, ::testing::HasSubstr("row 3: metadata nibble 0000 of chunk 3"));
  EXPECT_FALSE(executor.execute({a, b, {}, c, metadata, 4}).has_value());
}

}  // namespace
}  // namespace tcsim::numerics
