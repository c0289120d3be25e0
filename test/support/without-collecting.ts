/**
 * Preloaded by `make test`: what the program collects by force after a start and on the way of streams is left to
 * the collector. One process runs all the tests of a group, so each time is a walk over what hundreds of them have
 * left, a third of the time that they take. Memory is measured on the executable, by `make e2e` and `make bench`.
 */
Bun.gc = () => 0;
