extern "C" void away(int);

extern "C" void inner(int x) {
  away(x);
  away(x + 1);
}

extern "C" void outer(int x) {
  for (int i = 0; i < x; ++i) {
    inner(i);
  }
}
