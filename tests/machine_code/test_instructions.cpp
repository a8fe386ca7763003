// The reader itself, on snippets.

#include <set>

#include "tests/catch.hpp"
#include "tests/machine_code/instructions.hpp"

namespace gpumem::machine_code::test_instructions {

using access::Op;
using access::Space;

namespace {

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

/// The accesses of a kernel that stands there once, with nothing in it that is not known.
Counts only(const Kernels& kernels, const std::string& name) {
  const auto found = kernels.find(name);
  REQUIRE(found != kernels.end());
  REQUIRE(found->second.size() == 1);
  CHECK(found->second.front().unknown.empty());
  return found->second.front().accesses;
}

Kernel ptx_of(const std::string& statements) {
  return parse_ptx(".visible .entry one()\n{\n" + statements + "\n}\n").at("one").at(0);
}

/// Returns the accesses of a statement, all of whose opcodes have to be known.
Counts ptx_accesses(const std::string& statement) {
  const Kernel kernel = ptx_of(statement);
  CHECK(kernel.unknown.empty());
  return kernel.accesses;
}

Kernel sass_of(const std::string& instruction) {
  return parse_sass("\t\tFunction : one\n        /*0050*/   " + instruction + " ;   /* 0x0000040402057981 */\n")
      .at("one")
      .at(0);
}

Counts sass_accesses(const std::string& instruction) {
  const Kernel kernel = sass_of(instruction);
  CHECK(kernel.unknown.empty());
  return kernel.accesses;
}

}  // namespace

TEST_CASE("PTX: each load and store counts with its space and width", "[machine_code]") {
  const auto kernels = parse_ptx(ptx);
  REQUIRE(kernels.size() == 2);
  CHECK(only(kernels, "copy(unsigned int const*, unsigned int*)") ==
        Counts{{{Space::global, Op::load, 4}, 2}, {{Space::global, Op::store, 4}, 2}});
  CHECK(only(kernels, "words()") == Counts{{{Space::global, Op::store, 2}, 1},
                                           {{Space::shared, Op::load, 1}, 1},
                                           {{Space::shared, Op::load, 8}, 1},
                                           {{Space::shared, Op::load, 16}, 1},
                                           {{Space::shared, Op::store, 16}, 1},
                                           {{generic, Op::store, 8}, 1},
                                           {{Space::constant, Op::load, 4}, 1},
                                           {{Space::local, Op::load, 4}, 1}});
}

TEST_CASE("SASS: each load and store counts with its space and width, per architecture", "[machine_code]") {
  const auto kernels = parse_sass(sass);
  REQUIRE(kernels.size() == 1);
  const auto& copies = kernels.at("copy(unsigned int const*, unsigned int*)");
  REQUIRE(copies.size() == 2);
  CHECK(copies[0].accesses == Counts{{{Space::global, Op::load, 4}, 2}, {{Space::global, Op::store, 4}, 2}});
  CHECK(copies[1].accesses == Counts{{{Space::global, Op::load, 8}, 1},
                                     {{Space::global, Op::load, 1}, 1},
                                     {{Space::shared, Op::load, 16}, 2},
                                     {{Space::shared, Op::store, 2}, 1},
                                     {{generic, Op::load, 8}, 1}});
}

TEST_CASE("PTX: every kind of access counts in its space", "[machine_code]") {
  struct Example {
    const char* statement;
    Counts accesses;
  };
  const Example examples[] = {
      {"ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];",
       {{{Space::global, Op::load, 16}, 1}}},
      {"ld.acquire.gpu.global.u32 %r1, [%rd1];", {{{Space::global, Op::load, 4}, 1}}},
      {"ld.global.b128 %rq1, [%rd1];", {{{Space::global, Op::load, 16}, 1}}},
      {"ldu.global.u32 %r1, [%rd1];", {{{Space::global, Op::load, 4}, 1}}},
      {"st.relaxed.cluster.global.f64 [%rd1], %fd1;", {{{Space::global, Op::store, 8}, 1}}},
      {"ld.const.f64 %fd1, [table+24];", {{{Space::constant, Op::load, 8}, 1}}},
      {"ld.param.u32 %r1, [%rd1+8];", {{{Space::constant, Op::load, 4}, 1}}},
      {"st.bulk.weak.shared::cta [%r1], 4096, 0;", {{{Space::shared, Op::store, 0}, 1}}},
      {"st.local.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};", {{{Space::local, Op::store, 16}, 1}}},
      {"ld.local.u8 %rs1, [%rd1];", {{{Space::local, Op::load, 1}, 1}}},
      {"tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];", {{{Space::texture, Op::load, 0}, 1}}},
      {"tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}], %f7;", {{{Space::texture, Op::load, 0}, 1}}},
      {"tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];", {{{Space::texture, Op::load, 0}, 1}}},
      {"suld.b.2d.v4.b32.trap {%r1, %r2, %r3, %r4}, [%rd1, {%r5, %r6}];", {{{Space::texture, Op::load, 0}, 1}}},
      {"sust.b.2d.b8.trap [%rd1, {%r5, %r6}], {%rs1};", {{{Space::texture, Op::store, 0}, 1}}},
      {"sured.b.add.2d.u32.trap [%rd1, {%r5, %r6}], %r1;", {{{Space::texture, Op::atomic, 0}, 1}}},
      {"atom.global.add.u32 %r1, [%rd1], %r2;", {{{Space::global, Op::atomic, 4}, 1}}},
      {"atom.shared.cas.b64 %rd1, [%r1], %rd2, %rd3;", {{{Space::shared, Op::atomic, 8}, 1}}},
      {"atom.add.noftz.f16x2 %r1, [%rd1], %r2;", {{{generic, Op::atomic, 4}, 1}}},
      {"atom.global.add.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1], {%f5, %f6, %f7, %f8};",
       {{{Space::global, Op::atomic, 16}, 1}}},
      {"red.global.gpu.add.noftz.bf16x2 [%rd1], %r1;", {{{Space::global, Op::atomic, 4}, 1}}},
      {"cp.async.cg.shared.global [%r1], [%rd1], 16, %r2;",
       {{{Space::global, Op::load, 16}, 1}, {{Space::shared, Op::store, 16}, 1}}},
      {"cp.async.ca.shared::cta.global [ %r1 + 0 ], [%rd1], 4;",
       {{{Space::global, Op::load, 4}, 1}, {{Space::shared, Op::store, 4}, 1}}},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1], %r2, [%r3];",
       {{{Space::global, Op::load, 0}, 1}, {{Space::shared, Op::store, 0}, 1}}},
      {"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], %r2;",
       {{{Space::global, Op::store, 0}, 1}, {{Space::shared, Op::load, 0}, 1}}},
      {"cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r1], [%r2], %r3, [%r4];",
       {{{Space::cluster, Op::store, 0}, 1}, {{Space::shared, Op::load, 0}, 1}}},
      {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r2}], [%r3];",
       {{{Space::global, Op::load, 0}, 1}, {{Space::shared, Op::store, 0}, 1}}},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%rd1], [%r1], %r2;",
       {{{Space::global, Op::atomic, 0}, 1}, {{Space::shared, Op::load, 0}, 1}}},
      {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];",
       {{{Space::shared, Op::load, 16}, 1}}},
      {"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r1], {%r2};", {{{Space::shared, Op::store, 4}, 1}}},
      {"ld.shared::cluster.u32 %r1, [%r2];", {{{Space::cluster, Op::load, 4}, 1}}},
      {"st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.b32 [%r1], {%r2, %r3}, [%r4];",
       {{{Space::cluster, Op::store, 8}, 1}}},
      {"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, [%r3];",
       {{{Space::cluster, Op::atomic, 4}, 1}}},
      {"multimem.ld_reduce.relaxed.sys.global.add.f32 %f1, [%rd1];", {{{Space::global, Op::load, 4}, 1}}},
      {"multimem.red.relaxed.sys.global.add.f32 [%rd1], %f1;", {{{Space::global, Op::atomic, 4}, 1}}},
  };
  for (const auto& [statement, accesses] : examples) {
    INFO(statement);
    CHECK(ptx_accesses(statement) == accesses);
  }
}

TEST_CASE("PTX: what is no access counts as none", "[machine_code]") {
  for (const char* const statement :
       {"ld.param.u64 %rd1, [one_param_0+8];",
        "{ // callseq 0, 0\n.param .b64 param0;\nst.param.b64 [param0], %rd2;\n}",
        "ld.param::func.b32 %r1, [retval0];",
        "prefetch.global.L2 [%rd1];",
        "prefetchu.L1 [%rd1];",
        "cp.async.commit_group;",
        "cp.async.wait_group 0;",
        "cp.async.wait_all;",
        "cp.async.mbarrier.arrive.noinc.shared.b64 [%r1];",
        "cp.async.bulk.commit_group;",
        "cp.async.bulk.wait_group.read 0;",
        "cp.async.bulk.prefetch.L2.global [%rd1], %r1;",
        "cp.async.bulk.prefetch.tensor.2d.L2.global [%rd1, {%r1, %r1}];",
        "mbarrier.init.shared::cta.b64 [%r1], 1;",
        "fence.proxy.async;",
        "membar.gl;",
        "cvta.to.global.u64 %rd1, %rd2;",
        "mapa.shared::cluster.u32 %r1, %r2, 1;",
        "isspacep.shared %p1, %rd1;",
        "discard.global.L2 [%rd1], 128;",
        "redux.sync.add.s32 %r1, %r2, %r3;",
        ".loc 1 23 5, function_name $L__info_string0, inlined_at 1 40 3\nmov.u32 %r1, %tid.x;",
        "$L__BB0_2:\n@%p1 bra $L__BB0_2;",
        "{.reg .pred p; WAIT: mbarrier.try_wait.parity.shared::cta.b64 p, [%r1], 0;\n}",
        "// ld.global.u32 %r1, [%rd1];",
        ".shared .align 4 .b8 tile[128];"}) {
    INFO(statement);
    CHECK(ptx_accesses(statement).empty());
  }
}

TEST_CASE("PTX: accesses behind predicates, labels and braces, several to a line", "[machine_code]") {
  const Counts two{{{Space::global, Op::load, 4}, 2}};
  CHECK(ptx_accesses("{ ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd2]; }") == two);
  CHECK(ptx_accesses("@!%p1 ld.global.u32 %r1, [%rd1];\n$L__BB0_1: @%p2\tld.global.u32 %r1,\n [%rd1];") == two);
  CHECK(ptx_accesses(".reg .pred p; {{ld.global.u32 %r1, [%rd1];}} again: ld.global.u32 %r1, [%rd1];") == two);
}

TEST_CASE("PTX: an opcode without a row is reported", "[machine_code]") {
  CHECK(ptx_of("ldnew.global.u32 %r1, [%rd1];").unknown == std::set<std::string>{"ldnew.global.u32"});
  CHECK(ptx_of("@%p1 wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1}, %rd1, %rd2, p, 1, 1, 0, 0;")
            .unknown.size() == 1);
  CHECK(ptx_of("wmma.load.a.sync.aligned.row.m16n16k16.f16 {%r1}, [%rd1], %r2;").unknown.size() == 1);
  CHECK(ptx_of("call.uni (retval0), vprintf, (param0, param1);").unknown == std::set<std::string>{"call.uni"});
  CHECK(ptx_of("cp.async.bulk.newspace.global [%r1], [%rd1], 16;").unknown.size() == 1);
}

TEST_CASE("SASS: every kind of access counts in its space", "[machine_code]") {
  struct Example {
    const char* instruction;
    Counts accesses;
  };
  // As nvcc 13.0 compiles them for sm_75 to sm_120.
  const Example examples[] = {
      {"LDG.E.STRONG.GPU R7, desc[UR4][R2.64]", {{{Space::global, Op::load, 4}, 1}}},
      {"LDG.E.LTC128B.128.CONSTANT R12, desc[UR4][R6.64]", {{{Space::global, Op::load, 16}, 1}}},
      {"@P0 LDG.E.U16.SYS R0, [R2]", {{{Space::global, Op::load, 2}, 1}}},
      {"LDG.E.ENL2.256 R7, R4, desc[UR4][R2.64], 0x81", {{{Space::global, Op::load, 32}, 1}}},
      {"STG.E.EF.64 desc[UR4][R10.64+0x20], R23", {{{Space::global, Op::store, 8}, 1}}},
      {"LDGMC.E.ADD.F32.RN.STRONG.SYS R5, [R2.64+URZ]", {{{Space::global, Op::load, 4}, 1}}},
      {"LD.E.128 R10, desc[UR4][R10.64]", {{{generic, Op::load, 16}, 1}}},
      {"ST.E.U8 desc[UR4][R10.64+0x4], R23", {{{generic, Op::store, 1}, 1}}},
      {"LDS.U.64 R4, [R13+UR6]", {{{Space::shared, Op::load, 8}, 1}}},
      {"STS [R15+UR7], R12", {{{Space::shared, Op::store, 4}, 1}}},
      {"UMEMSETS.64 [UR4], URZ, UR5", {{{Space::shared, Op::store, 0}, 1}}},
      {"LDSM.16.M88.4 R12, [R0]", {{{Space::shared, Op::load, 16}, 1}}},
      {"LDSM.16.MT88 R8, [R0]", {{{Space::shared, Op::load, 4}, 1}}},
      {"STSM.16.M88.2 [R0], R8", {{{Space::shared, Op::store, 8}, 1}}},
      {"LDL.LU.64 R8, [R8]", {{{Space::local, Op::load, 8}, 1}}},
      {"STL.128 [R1], R4", {{{Space::local, Op::store, 16}, 1}}},
      {"LDC R5, c[0x3][0xc]", {{{Space::constant, Op::load, 4}, 1}}},
      {"LDC.64 R2, c[0x3][R0+0x400]", {{{Space::constant, Op::load, 8}, 1}}},
      {"LDC.U8 R2, c[0x0][R0+0x160]", {{{Space::constant, Op::load, 1}, 1}}},
      {"ULDC UR4, c[0x3][UR4]", {{{Space::constant, Op::load, 4}, 1}}},
      {"LDCU.128 UR4, c[0x3][UR4+0x10]", {{{Space::constant, Op::load, 16}, 1}}},
      {"FFMA R0, R2, c[0x3][0x10], R4", {{{Space::constant, Op::load, 4}, 1}}},
      {"DADD R2, -R2, c[0x3][0x18]", {{{Space::constant, Op::load, 8}, 1}}},
      {"TEX.SCR.LL R10, R8, R14, R27, 2D, 0x1", {{{Space::texture, Op::load, 0}, 1}}},
      {"TLD.LZ RZ, R0, R2, UR6, 0x0, 1D, 0x1", {{{Space::texture, Op::load, 0}, 1}}},
      {"TLD4.R R18, R16, R16, UR4, 0x0, 2D", {{{Space::texture, Op::load, 0}, 1}}},
      {"TXD RZ, R5, R20, R4, UR4, 0x0, 2D, 0x1", {{{Space::texture, Op::load, 0}, 1}}},
      {"SULD.D.BA.2D.128.STRONG.SM.TRAP R4, [R2], UR4, 0x0", {{{Space::texture, Op::load, 0}, 1}}},
      {"SUST.D.BA.2D.U8.STRONG.SM.TRAP [R8], R0, UR5, 0x0", {{{Space::texture, Op::store, 0}, 1}}},
      {"ATOM.E.ADD.F16x2.RN.STRONG.GPU P0, RZ, desc[UR8][R22.64], RZ", {{{generic, Op::atomic, 4}, 1}}},
      {"ATOMG.E.CAS.64.STRONG.GPU PT, R22, [R20], R4, R6", {{{Space::global, Op::atomic, 8}, 1}}},
      {"ATOMG.E.EXCH.STRONG.GPU PT, RZ, desc[UR8][R18.64], R14", {{{Space::global, Op::atomic, 4}, 1}}},
      {"ATOMS.CAST.SPIN.64 R6, [R21], R4, R6", {{{Space::shared, Op::atomic, 8}, 1}}},
      {"ATOMS.POPC.INC.32 RZ, [R0]", {{{Space::shared, Op::atomic, 4}, 1}}},
      {"RED.E.MAX.S32.STRONG.GPU [R2.64], R14", {{{Space::global, Op::atomic, 4}, 1}}},
      {"REDG.E.ADD.F64.RN.STRONG.GPU desc[UR8][R22.64], R20", {{{Space::global, Op::atomic, 8}, 1}}},
      {"REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU desc[UR8][R14.64], R4", {{{Space::global, Op::atomic, 16}, 1}}},
      {"LDGSTS.E.BYPASS.LTC128B.128 [R7], desc[UR6][R2.64], P0",
       {{{Space::global, Op::load, 16}, 1}, {{Space::shared, Op::store, 16}, 1}}},
      {"LDGSTS.E [R9+0x200], [R4.64+0x200]", {{{Space::global, Op::load, 4}, 1}, {{Space::shared, Op::store, 4}, 1}}},
      {"UBLKCP.S.G [UR8], [UR6], UR4", {{{Space::global, Op::load, 0}, 1}, {{Space::shared, Op::store, 0}, 1}}},
      {"UBLKCP.G.S [UR4], [UR8], UR10", {{{Space::global, Op::store, 0}, 1}, {{Space::shared, Op::load, 0}, 1}}},
      {"UBLKCP.S.S [UR4], [UR8], UR10", {{{Space::cluster, Op::store, 0}, 1}, {{Space::shared, Op::load, 0}, 1}}},
      {"UBLKRED.G.S.ADD.S32 [UR4], [UR8], UR10",
       {{{Space::global, Op::atomic, 0}, 1}, {{Space::shared, Op::load, 0}, 1}}},
      {"UTMALDG.2D [UR8], [UR12]", {{{Space::global, Op::load, 0}, 1}, {{Space::shared, Op::store, 0}, 1}}},
      {"UTMASTG.2D [UR8], [UR12]", {{{Space::global, Op::store, 0}, 1}, {{Space::shared, Op::load, 0}, 1}}},
      {"UTMAREDG.2D.ADD [UR8], [UR12]", {{{Space::global, Op::atomic, 0}, 1}, {{Space::shared, Op::load, 0}, 1}}},
      {"STAS [R12.64], R10", {{{Space::cluster, Op::store, 4}, 1}}},
      {"REDAS.ADD [R12.64], R10", {{{Space::cluster, Op::atomic, 4}, 1}}},
  };
  for (const auto& [instruction, accesses] : examples) {
    INFO(instruction);
    CHECK(sass_accesses(instruction) == accesses);
  }
}

TEST_CASE("SASS: what is no access counts as none", "[machine_code]") {
  for (const char* const instruction : {"LDC R1, c[0x0][0x28]",
                                        "LDC R0, c[0x0][RZ]",
                                        "ULDC.64 UR4, c[0x0][0x208]",
                                        "LDCU.64 UR4, c[0x0][0x358]",
                                        "IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28]",
                                        "LDC.64 R2, c[0x4][R2]",
                                        "LDC R2, c[0x2][R2]",
                                        "@!PT LDS RZ, [RZ]",
                                        "CCTL.IVALL",
                                        "CCTL.E.PF2 [R2]",
                                        "ERRBAR",
                                        "MEMBAR.SC.GPU",
                                        "DEPBAR.LE SB0, 0x0",
                                        "LDGDEPBAR",
                                        "UTMACMDFLUSH",
                                        "UTMACCTL.PF [UR12]",
                                        "UBLKPF.L2 [UR6], UR8",
                                        "UTMAPF.L2.2D [UR4], [UR12]",
                                        "SYNCS.ARRIVE.TRANS64 RZ, [UR9], R2",
                                        "ATOMS.ARRIVE.64 RZ, [R0]",
                                        "ARRIVES.LDGSTSBAR.64 [URZ]",
                                        "QSPC.E.S P0, RZ, [R22]",
                                        "REDUX.SUM UR4, R0",
                                        "FENCE.VIEW.ASYNC.S",
                                        "NOP"}) {
    INFO(instruction);
    CHECK(sass_accesses(instruction).empty());
  }
}

TEST_CASE("A kernel that was left out of an architecture traps", "[machine_code]") {
  CHECK(ptx_of("trap;").traps);
  CHECK(sass_of("BPT.TRAP 0x1").traps);
  CHECK_FALSE(ptx_of("ret;").traps);
  CHECK_FALSE(sass_of("EXIT").traps);
}

TEST_CASE("SASS: an opcode without a row is reported", "[machine_code]") {
  CHECK(sass_of("LDNEW.E.64 R2, [R4]").unknown == std::set<std::string>{"LDNEW.E.64"});
  CHECK(sass_of("@P0 LDTM.x32 R2, tmem[UR4]").unknown == std::set<std::string>{"LDTM.x32"});
  CHECK(sass_of("UBLKCP.G.G [UR4], [UR8], UR10").unknown.size() == 1);
  CHECK(sass_of("HGMMA.64x8x16.F32 R4, R4, gdesc[UR4], R4").unknown.size() == 1);
  CHECK(sass_of("LDC R2, cx[UR4][R2]").unknown.size() == 1);
}

}  // namespace gpumem::machine_code::test_instructions
