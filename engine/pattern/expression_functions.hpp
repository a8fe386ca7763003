#pragma once
// The arithmetic of expressions, written once: the host evaluates with it, and its text goes before an expression that
// is compiled at run time. So it needs no header, and is a macro: functions that take their qualifiers from outside.

/// The operators of C++ on 64-bit signed integers, also where C++ leaves the result undefined. There, sums, differences
/// and products wrap, as does the smallest integer divided by -1. Division by zero gives 0, and so does its remainder.
/// A shift by 64 or more, or by a negative number, shifts everything out: 0 is left, or the sign.
// NOLINTBEGIN(bugprone-macro-parentheses): qualifiers are no value
#define GPUMEM_EXPRESSION_FUNCTIONS(qualifiers)                                                             \
  qualifiers long long gpumem_negate(long long a) { return (long long)(0ULL - (unsigned long long)a); }     \
  qualifiers long long gpumem_add(long long a, long long b) {                                               \
    return (long long)((unsigned long long)a + (unsigned long long)b);                                      \
  }                                                                                                         \
  qualifiers long long gpumem_subtract(long long a, long long b) {                                          \
    return (long long)((unsigned long long)a - (unsigned long long)b);                                      \
  }                                                                                                         \
  qualifiers long long gpumem_multiply(long long a, long long b) {                                          \
    return (long long)((unsigned long long)a * (unsigned long long)b);                                      \
  }                                                                                                         \
  qualifiers long long gpumem_divide(long long a, long long b) {                                            \
    return b == 0 ? 0 : b == -1 ? gpumem_negate(a) : a / b;                                                 \
  }                                                                                                         \
  qualifiers long long gpumem_remainder(long long a, long long b) { return b == 0 || b == -1 ? 0 : a % b; } \
  qualifiers long long gpumem_shift_left(long long a, long long b) {                                        \
    return (unsigned long long)b > 63 ? 0 : (long long)((unsigned long long)a << b);                        \
  }                                                                                                         \
  qualifiers long long gpumem_shift_right(long long a, long long b) {                                       \
    return a >> ((unsigned long long)b > 63 ? 63 : b);                                                      \
  }                                                                                                         \
  qualifiers long long gpumem_minimum(long long a, long long b) { return a < b ? a : b; }                   \
  qualifiers long long gpumem_maximum(long long a, long long b) { return a < b ? b : a; }
// NOLINTEND(bugprone-macro-parentheses)
