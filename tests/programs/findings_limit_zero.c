//@ paths: 0 completed, 0 errors
//@ partial: max-findings
//@ run: --max-findings 0
//@ exit: 2
//@ native: no it is about what is not explored
//@ why: the run ends before the first finding, whether there is one or not
int main(void) { return 0; }
