#pragma once
// Catch2 3 splits its headers and puts matchers and Approx elsewhere; Debian 12 has Catch2 2.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
