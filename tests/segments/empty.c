// Nothing: what a run takes that has nothing to do.
int main(void) { return 0; }
