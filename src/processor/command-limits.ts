import type { CommandDefinition } from './commands.ts';

/** Of util-linux. */
export const MEMORY_LIMITER = 'prlimit';
/** What programs say that cannot get memory; none of them says it for another reason. */
const OUT_OF_MEMORY =
  /out of (memory|space)|cannot allocate|allocation (failed|failure)|failed to allocate|memory exhausted|bad_alloc|MemoryError|heap exhausted/i;

/** What starts a command within its `maxMemoryBytes`: the words before its program. */
export function memoryLimiting({ maxMemoryBytes, memoryLimiter }: CommandDefinition): string[] {
  // Not the address space, of which runtimes reserve far more than they use.
  return maxMemoryBytes === undefined || memoryLimiter === undefined
    ? []
    : [memoryLimiter, `--data=${maxMemoryBytes}`, '--'];
}

/**
 * Whether a command that failed did so for lack of memory, by what it wrote to standard error. The system does not
 * tell: a program that gets no memory ends in its own way.
 */
export function isOutOfMemory({ memoryLimiter }: CommandDefinition, stderr: string): boolean {
  return memoryLimiter !== undefined && OUT_OF_MEMORY.test(stderr);
}

/** The commands whose `maxMemoryBytes` this machine cannot keep. */
export function withoutMemoryLimit(commands: readonly CommandDefinition[]): CommandDefinition[] {
  return commands.filter(({ maxMemoryBytes, memoryLimiter }) => maxMemoryBytes && memoryLimiter === undefined);
}

/** Cuts an output off at its limit. */
export class OutputMeter {
  readonly maxBytes: number;
  #bytes = 0;
  /** Whether there was more than the limit. */
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
