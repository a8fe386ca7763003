#pragma once
// A case of C = A x B: its variant and shape, and the accesses of its kernels, site by site. Requests follow from the
// shape alone, and none is evaluated before it is asked for.

#include <span>
#include <vector>

#include "engine/access/site.hpp"
#include "probes/kernels/matmul/matmul_geometry.hpp"
#include "probes/kernels/real_bytes.hpp"
#include "probes/probe.hpp"

namespace gpumem::kernels {

enum class ProductBy { row, column, rows_in_shared, tile_16, tile_32, outputs_2, outputs_64, library };

namespace axis {
inline constexpr Number<std::uint32_t> product_n{"product_n"};
inline constexpr Number<std::uint32_t> product_m{"product_m"};
inline constexpr Number<std::uint32_t> product_k{"product_k"};
inline constexpr Choice<ProductBy> matmul{
    "matmul", {"row", "column", "rows-in-shared", "tile-16", "tile-32", "outputs-2", "outputs-64", "cublas"}};
}  // namespace axis

/// The shape of a case. Rows and depth that are 0 equal the columns.
[[nodiscard]] ProductShape product_shape(const Case& decided);

struct ProductLaunch {
  std::uint32_t blocks_x = 0;
  std::uint32_t blocks_y = 0;
  std::uint32_t threads_x = 0;
  std::uint32_t threads_y = 1;
  std::uint64_t shared_bytes = 0;  ///< of a block

  [[nodiscard]] std::uint64_t blocks() const { return std::uint64_t{blocks_x} * blocks_y; }
  [[nodiscard]] std::uint32_t block_threads() const { return threads_x * threads_y; }
};

/// True if the threads of a block bring tiles for each other.
[[nodiscard]] bool in_tiles(ProductBy by);

/// Cycles of the kernels without tiles (Workload::scheduler_cycles). With each multiplication, a warp issues two loads,
/// the computation of the next row's address in 64 bits, and a share of the loop. In double, the multiplication itself
/// takes two cycles.
[[nodiscard]] double direct_scheduler_cycles(const ProductShape& shape, std::uint32_t real_bytes);

/// Times that a thread waits for its loads before it loads more.
[[nodiscard]] std::uint32_t rounds_of_product(ProductBy by, const ProductShape& shape);

/// Launch and sites of a variant; empty for the library, whose kernels are unknown.
[[nodiscard]] ProductLaunch product_launch(ProductBy by, const ProductShape& shape, std::uint32_t real_bytes);
[[nodiscard]] std::vector<access::Site> product_sites(ProductBy by, const ProductShape& shape,
                                                      std::uint32_t real_bytes);

/// Concludes what each variant gains over a simpler one, and why, for the cases of one type. Only the largest size
/// counts, because small ones do not fill a GPU.
[[nodiscard]] Conclusion conclude_matmul(std::span<const Outcome> outcomes);

}  // namespace gpumem::kernels
