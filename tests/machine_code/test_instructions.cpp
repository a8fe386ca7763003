// The reader and the comparison themselves, on snippets: a merged, removed or duplicated access must not pass.

#include "tests/catch.hpp"
#include "tests/machine_code/instructions.hpp"

namespace gpumem::machine_code {

namespace {

using access::Op;
using access::Site;

Site site(access::Space space, Op op, unsigned word_bytes, unsigned instructions) {
  Site site;
  site.name = "site";
  site.space = space;
  site.op = op;
  site.word_bytes = word_bytes;
  site.instructions = instructions;
  return site;
}

std::vector<Site> copy_sites(unsigned word_bytes, unsigned instructions) {
  return {site(access::Space::global, Op::load, word_bytes, instructions),
          site(access::Space::global, Op::store, word_bytes, instructions)};
}

constexpr std::string_view ptx = R"(
.visible .entry _Z4copyPKjPj(
	.param .u64 _Z4copyPKjPj_param_0,
	.param .u64 _Z4copyPKjPj_param_1
)
{
	.reg .b32 	%r<3>;
	ld.param.u64 	%rd1, [_Z4copyPKjPj_param_0];
	ld.param.u64 	%rd2, [_Z4copyPKjPj_param_1];
	cvta.to.global.u64 	%rd3, %rd2;
	ld.global.nc.u32 	%r1, [%rd4];
	@%p1 ld.volatile.global.b32 	%r2, [%rd4+4];
	st.global.u32 	[%rd3], %r1;
	st.global.f32 	[%rd3+4], %r2;
	// ld.global.u32 in a comment
	ret;

}
.func (.param .b32 func_retval0) helper(
)
{
	ld.u32 	%r1, [%rd1];
}
	// .globl	_Z5wordsv
.entry _Z5wordsv()
{
	// begin inline asm
	ld.volatile.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%r5];
	ld.shared::cta.v2.f32 {%f1, %f2}, [%r5]; ld.shared.u8 %rs1, [%r5];
	// end inline asm
	st.shared.v2.u64 	[%r1], {%rd1, %rd2};
	st.global.b16 	[%rd1], %rs1;
	st.u64 	[%rd1], %rd2;
	ld.const.u32 	%r9, [table];
	ld.local.u32 	%r9, [stack];
}
)";

constexpr std::string_view sass = R"sass(
Fatbin elf code:
================
arch = sm_90

	code for sm_90
		Function : _Z4copyPKjPj
	.headerflags	@"EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
        /*0020*/                   LDC.64 R2, c[0x0][0x210] ;             /* 0x00008400ff027b82 */
        /*0030*/                   ULDC.64 UR4, c[0x0][0x208] ;           /* 0x0000820000047ab9 */
        /*0050*/                   LDG.E R5, desc[UR4][R2.64+0x4] ;       /* 0x0000040402057981 */
        /*0060*/              @!P0 LDG.E.CONSTANT R6, desc[UR4][R2.64] ;  /* 0x0000040402057981 */
        /*0070*/                   STG.E desc[UR4][R2.64], R5 ;           /* 0x0000000502007986 */
        /*0080*/              @P1  STG.E desc[UR4][R2.64], R6 ;           /* 0x0000000502007986 */
        /*0090*/                   EXIT ;                                 /* 0x000000000000794d */

Fatbin elf code:
================
arch = sm_70

	code for sm_70
		Function : _Z4copyPKjPj
        /*0050*/                   LDG.E.64.SYS R4, [R2] ;                /* 0x0000040402057981 */
        /*0060*/                   LDG.E.U8.SYS R6, [R2] ;                /* 0x0000040402057981 */
        /*0070*/                   LDS.U.128 R8, [R2] ;                   /* 0x0000000502007986 */
        /*0080*/                   STS.S16 [R2], R8 ;                     /* 0x0000000502007986 */
        /*0090*/                   LD.E.64 R4, [R2] ;                     /* 0x0000000502007986 */
        /*00a0*/                   LDSM.16.M88.4 R4, [R2] ;               /* 0x0000000502007986 */
)sass";

}  // namespace

TEST_CASE("PTX: each load and store counts with its space and width", "[machine_code]") {
  const auto kernels = parse_ptx(ptx);
  REQUIRE(kernels.size() == 2);
  CHECK(kernels.at("copy(unsigned int const*, unsigned int*)") ==
        std::vector<Counts>{{{{Space::global, Op::load, 4}, 2}, {{Space::global, Op::store, 4}, 2}}});
  CHECK(kernels.at("words()") == std::vector<Counts>{{{{Space::global, Op::store, 2}, 1},
                                                      {{Space::shared, Op::load, 1}, 1},
                                                      {{Space::shared, Op::load, 8}, 1},
                                                      {{Space::shared, Op::load, 16}, 1},
                                                      {{Space::shared, Op::store, 16}, 1},
                                                      {{Space::generic, Op::store, 8}, 1}}});
}

TEST_CASE("SASS: each load and store counts with its space and width, per architecture", "[machine_code]") {
  const auto kernels = parse_sass(sass);
  REQUIRE(kernels.size() == 1);
  const auto& copies = kernels.at("copy(unsigned int const*, unsigned int*)");
  REQUIRE(copies.size() == 2);
  CHECK(copies[0] == Counts{{{Space::global, Op::load, 4}, 2}, {{Space::global, Op::store, 4}, 2}});
  CHECK(copies[1] == Counts{{{Space::global, Op::load, 8}, 1},
                            {{Space::global, Op::load, 1}, 1},
                            {{Space::shared, Op::load, 16}, 1},
                            {{Space::shared, Op::store, 2}, 1},
                            {{Space::generic, Op::load, 8}, 1}});
}

TEST_CASE("A kernel as declared shows no differences", "[machine_code]") {
  const Counts compiled{{{Space::global, Op::load, 4}, 2}, {{Space::global, Op::store, 4}, 2}};
  CHECK(differences(compiled, copy_sites(4, 2)).empty());
}

TEST_CASE("Mapped host memory is reached by global instructions", "[machine_code]") {
  const std::vector<Site> load{site(access::Space::host, Op::load, 8, 2)};
  CHECK(differences({{{Space::global, Op::load, 8}, 2}}, load).empty());
  CHECK(differences({{{Space::global, Op::load, 8}, 1}}, load).size() == 1);
  CHECK(differences({{{Space::shared, Op::load, 8}, 2}}, load).size() == 2);
}

TEST_CASE("A removed, merged, narrowed or duplicated access is a difference", "[machine_code]") {
  const Counts removed{{{Space::global, Op::load, 4}, 1}, {{Space::global, Op::store, 4}, 2}};
  CHECK(differences(removed, copy_sites(4, 2)) == std::vector<std::string>{"1 x 4-byte global load instead of 2"});

  const Counts merged{{{Space::global, Op::load, 8}, 1}, {{Space::global, Op::store, 4}, 2}};
  CHECK(differences(merged, copy_sites(4, 2)) ==
        std::vector<std::string>{"0 x 4-byte global load instead of 2", "1 x 8-byte global load instead of 0"});

  const Counts split{{{Space::global, Op::load, 8}, 1}, {{Space::global, Op::store, 4}, 2}};
  CHECK(differences(split, copy_sites(8, 1)).size() == 2);

  const Counts duplicated{{{Space::global, Op::load, 4}, 4}, {{Space::global, Op::store, 4}, 2}};
  CHECK(differences(duplicated, copy_sites(4, 2)) == std::vector<std::string>{"4 x 4-byte global load instead of 2"});

  CHECK(differences({}, copy_sites(4, 2)).size() == 2);
}

TEST_CASE("What no site declares may only be bookkeeping", "[machine_code]") {
  const std::vector<Site> load{site(access::Space::global, Op::load, 16, 1)};
  const auto with = [](Instruction instruction, unsigned number) {
    return Counts{{{Space::global, Op::load, 16}, 1}, {instruction, number}};
  };
  CHECK(differences(with({Space::global, Op::store, 8}, 2), load).empty());
  CHECK(differences(with({Space::global, Op::store, 4}, 3), load).size() == 1);
  CHECK(differences(with({Space::global, Op::store, 16}, 1), load).size() == 1);
  CHECK(differences(with({Space::global, Op::load, 4}, 1), load).size() == 1);
  CHECK(differences(with({Space::shared, Op::load, 4}, 1), load).size() == 1);
  CHECK(differences(with({Space::shared, Op::store, 4}, 1), load).size() == 1);
  CHECK(differences(with({Space::generic, Op::load, 4}, 1), load).size() == 1);

  const Counts tile{{{Space::shared, Op::load, 4}, 8}, {{Space::shared, Op::store, 4}, 4}};
  CHECK(differences(tile, std::vector<Site>{site(access::Space::shared, Op::load, 4, 8)}).empty());
}

}  // namespace gpumem::machine_code
