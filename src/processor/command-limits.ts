import type { CommandDefinition } from './commands.ts';

/** The program of util-linux that limits the memory of a process. */
export const MEMORY_LIMITER = 'prlimit';
/** Error messages of programs without memory. None of them has another cause. */
const OUT_OF_MEMORY =
  /out of (memory|space)|cannot allocate|allocation (failed|failure)|failed to allocate|memory exhausted|bad_alloc|MemoryError|heap exhausted/i;

/** Returns the words before a program that start it with its `maxMemoryBytes`. */
export function memoryLimiting({ maxMemoryBytes, memoryLimiter }: CommandDefinition): string[] {
  // Not the address space: runtimes reserve far more of it than they use.
  return maxMemoryBytes === undefined || memoryLimiter === undefined
    ? []
    : [memoryLimiter, `--data=${maxMemoryBytes}`, '--'];
}

/**
 * Returns true if the standard error of a failed command reports a lack of memory. There is no signal or exit code for
 * it: each program fails in its own way.
 */
export function isOutOfMemory({ memoryLimiter }: CommandDefinition, stderr: string): boolean {
  return memoryLimiter !== undefined && OUT_OF_MEMORY.test(stderr);
}

/** Returns the commands whose `maxMemoryBytes` this machine cannot enforce. */
export function withoutMemoryLimit(commands: readonly CommandDefinition[]): CommandDefinition[] {
  return commands.filter(({ maxMemoryBytes, memoryLimiter }) => maxMemoryBytes && memoryLimiter === undefined);
}

/** Truncates an output at its limit. */
export class OutputMeter {
  readonly maxBytes: number;
  #bytes = 0;
  /** True if the output exceeded the limit. */
  isOver = false;

  constructor(maxBytes = Number.POSITIVE_INFINITY) {
    this.maxBytes = maxBytes;
  }

  /** Returns the part of a chunk that is within the limit. */
  take(chunk: Uint8Array): Uint8Array {
    const room = this.maxBytes - this.#bytes;
    this.isOver = chunk.byteLength > room;
    const part = this.isOver ? chunk.subarray(0, room) : chunk;
    this.#bytes += part.byteLength;
    return part;
  }
}
