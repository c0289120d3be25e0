/**
 * Preloaded by `make test`: turns forced garbage collection off. In a process that starts hundreds of repositories it takes
 * a third of the time. `make e2e` and `make bench` measure the memory of the executable.
 */
Bun.gc = () => 0;
