import { clientGone, overCapacity, shuttingDown } from './errors.ts';

interface SlotLimits {
  maxConcurrent: number;
  maxQueued: number;
}

/** The part of a command that the count of its running children needs. */
interface LimitedCommand {
  key: string;
  maxConcurrent: number | undefined;
}

interface Waiter {
  command: LimitedCommand | undefined;
  admit(): void;
  refuse(error: Error): void;
}

/**
 * Limits the number of files processed at a time, in all and per command. Requests wait in a queue, first in, first out; a
 * request whose command is full lets others pass.
 */
export class Slots {
  #limits: SlotLimits;
  #inUse = 0;
  readonly #inUseByCommand = new Map<string, number>();
  readonly #waiting: Waiter[] = [];
  #isClosed = false;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get inUse(): number {
    return this.#inUse;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get limits(): SlotLimits {
    return this.#limits;
  }

  /** Changes the limits. Running requests continue; waiting ones may be admitted at once. */
  configure(limits: SlotLimits): void {
    this.#limits = limits;
    this.#admitWaiting();
  }

  /** Rejects all waiting and all later requests. */
  close(): void {
    this.#isClosed = true;
    for (const waiter of this.#waiting.splice(0)) waiter.refuse(shuttingDown());
  }

  /**
   * Waits for a slot, with a command also for one of that command. Throws `over-capacity` if the queue is full, and
   * `client-gone` when `signal` aborts.
   */
  async acquire(command: LimitedCommand | undefined, signal: AbortSignal): Promise<Lease> {
    await this.#enter(command, signal);
    return new Lease(this, command);
  }

  async #enter(command: LimitedCommand | undefined, signal: AbortSignal): Promise<void> {
    if (this.#isClosed) throw shuttingDown();
    if (signal.aborted) throw clientGone();
    if (this.#hasRoom(command)) return this.#take(command);
    if (this.#waiting.length >= this.#limits.maxQueued) throw overCapacity(this.#limits.maxQueued);
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(clientGone());
      };
      const settle = (act: () => void) => {
        signal.removeEventListener('abort', onAbort);
        act();
      };
      const waiter: Waiter = { command, admit: () => settle(resolve), refuse: (error) => settle(() => reject(error)) };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiter);
    });
  }

  /**
   * Takes a slot of a command for the holder of a slot. If the command is full, the held slot is released during the wait,
   * so that a full command does not block the others.
   */
  async addCommand(command: LimitedCommand, signal: AbortSignal): Promise<void> {
    this.#give(undefined);
    const hasRoom = this.#hasRoom(command);
    if (hasRoom) return this.#take(command);
    this.#admitWaiting();
    await this.#enter(command, signal);
  }

  release(command: LimitedCommand | undefined): void {
    this.#give(command);
    this.#admitWaiting();
  }

  #hasRoom(command: LimitedCommand | undefined): boolean {
    if (this.#inUse >= this.#limits.maxConcurrent) return false;
    return command?.maxConcurrent === undefined || this.#countOf(command) < command.maxConcurrent;
  }

  #countOf(command: LimitedCommand): number {
    return this.#inUseByCommand.get(command.key) ?? 0;
  }

  #take(command: LimitedCommand | undefined): void {
    this.#inUse += 1;
    if (command) this.#inUseByCommand.set(command.key, this.#countOf(command) + 1);
  }

  #give(command: LimitedCommand | undefined): void {
    this.#inUse -= 1;
    if (command) this.#inUseByCommand.set(command.key, this.#countOf(command) - 1);
  }

  #admitWaiting(): void {
    for (let index = 0; index < this.#waiting.length && this.#inUse < this.#limits.maxConcurrent; ) {
      const waiter = this.#waiting[index] as Waiter;
      if (!this.#hasRoom(waiter.command)) {
        index += 1;
        continue;
      }
      this.#waiting.splice(index, 1);
      this.#take(waiter.command);
      waiter.admit();
    }
  }
}

/** A slot that is held. Must be released; releasing it again has no effect. */
export class Lease {
  readonly #slots: Slots;
  #command: LimitedCommand | undefined;
  #isHeld = true;

  constructor(slots: Slots, command: LimitedCommand | undefined) {
    this.#slots = slots;
    this.#command = command;
  }

  /** Extends a slot that was taken before the command was known. On failure the lease is released. */
  async forCommand(command: LimitedCommand, signal: AbortSignal): Promise<void> {
    this.#isHeld = false;
    await this.#slots.addCommand(command, signal);
    this.#command = command;
    this.#isHeld = true;
  }

  release(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#slots.release(this.#command);
  }
}
