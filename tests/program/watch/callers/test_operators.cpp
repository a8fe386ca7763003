#include "program/watch/callers/frame.hpp"
#include "program/watch/callers/operators.hpp"
#include "tests/catch.hpp"

namespace gpumem::inject::test_operators {

TEST_CASE("operators are told by the functions that carry them out", "[callers]") {
  CHECK(operator_of("_ZN2at4_ops10add_Tensor4callERKNS_6TensorES4_RKN3c106ScalarE") == "aten::add.Tensor");
  CHECK(operator_of("_ZN2at4_ops10add_Tensor10redispatchEN3c1014DispatchKeySetERKNS_6TensorES6_") ==
        "aten::add.Tensor");
  CHECK(operator_of("_ZN2at4_ops11add__Tensor4callERNS_6TensorE") == "aten::add_.Tensor");
  CHECK(operator_of("_ZN2at4_ops6linear4callERKNS_6TensorE") == "aten::linear");
  CHECK(operator_of("_ZN2at4_ops15sum_dim_IntList4callERKNS_6TensorE") == "aten::sum.dim_IntList");
  CHECK(operator_of("_ZN2at4_ops11softmax_int4callERKNS_6TensorE") == "aten::softmax.int");
  CHECK(operator_of("_ZN2at4_ops10index_put_4callERKNS_6TensorE") == "aten::index_put_");
  CHECK(operator_of("_ZN2at4_ops8_softmax4callERKNS_6TensorE") == "aten::_softmax");
  CHECK(operator_of("_ZN2at4_ops19empty_memory_format4callEv") == "aten::empty.memory_format");
  CHECK(operator_of("_ZN2at4_ops10zeros_like4callEv") == "aten::zeros_like");
  CHECK(operator_of("_ZN2at4_ops13native_layer_norm4callEv") == std::nullopt);  // of another length
  CHECK(operator_of("_ZN2at4_ops10add_Tensor6schemaEv") == std::nullopt);
  for (const char* other : {"", "main", "_ZN2at4_ops", "_ZN2at4_ops3", "_ZN2at4_ops99999add4call", "_ZN2at4_ops0"}) {
    CHECK_FALSE(operator_of(other));
  }
}

TEST_CASE("steps of a backward pass are told likewise", "[callers]") {
  CHECK(backward_step_of("_ZN5torch8autograd9generated12MulBackward05applyEOSt6vectorIN2at6TensorESaIS4_EE") ==
        "MulBackward0");
  CHECK(backward_step_of("_ZN5torch8autograd14AccumulateGrad5applyEOSt6vectorIN2at6TensorESaIS4_EE") ==
        "AccumulateGrad");
  CHECK_FALSE(backward_step_of("_ZN5torch8autograd6Engine9thread_mainERKSt10shared_ptrINS0_9GraphTaskEE"));
  CHECK_FALSE(backward_step_of("_ZN5torch8autograd"));
}

TEST_CASE("ranges that a framework marks for operators are told from others", "[callers]") {
  CHECK(operator_of_range("aten::add, op_id = 12") == "aten::add");
  CHECK(operator_of_range("mylib::fused_op") == "mylib::fused_op");
  CHECK_FALSE(operator_of_range("forward"));
  CHECK_FALSE(operator_of_range("step 3 :: warm up"));
  CHECK_FALSE(operator_of_range("::"));
  CHECK_FALSE(operator_of_range(""));
}

TEST_CASE("the program's own text is told from libraries'", "[callers]") {
  CHECK(is_library_source("/home/me/venv/lib/python3.11/site-packages/torch/nn/modules/linear.py", "model"));
  CHECK(is_library_source("/usr/lib/python3.11/threading.py", "model"));
  CHECK(is_library_source("/tmp/torchinductor_me/ab/cabc.py", "model"));
  CHECK(is_library_source("<frozen importlib._bootstrap>", "model"));
  CHECK(is_library_source("<eval_with_key>.12", "model"));
  CHECK_FALSE(is_library_source("/home/me/model.py", "model"));
  CHECK_FALSE(is_library_source("model.py", "model"));
  CHECK(is_library_source("<string>", ""));
  CHECK_FALSE(is_library_source("<string>", "__main__"));
  CHECK_FALSE(is_library_source("<stdin>", "model"));
  CHECK_FALSE(is_library_source("/tmp/ipykernel_12/1234.py", "model"));
  CHECK(is_library_code("/usr/lib/x86_64-linux-gnu/libcuda.so.1"));
  CHECK(is_library_code("/home/me/venv/lib/python3.11/site-packages/torch/lib/libtorch_cpu.so"));
  CHECK(is_library_code("/home/me/libtorch/lib/libtorch_cuda.so"));
  CHECK(is_library_code("/home/me/.pyenv/versions/3.11.7/bin/python3.11"));
  CHECK_FALSE(is_library_code("/home/me/build/app"));
  CHECK_FALSE(is_library_code("/home/me/build/libkernels.so"));
  CHECK(is_of_package("/home/me/venv/lib/python3.11/site-packages/cupy/_core.so"));
  CHECK_FALSE(is_of_package("/usr/lib/python3.11/lib-dynload/_ctypes.so"));
}

}  // namespace gpumem::inject::test_operators
