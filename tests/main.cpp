// Catch2 3 brings its own main (Catch2::Catch2WithMain); Catch2 2 is told to define one here.
#if !__has_include(<catch2/catch_all.hpp>)
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#endif
