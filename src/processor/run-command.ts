import { ServiceError } from '../base/errors.ts';
import { settlesWithin } from '../base/settles-within.ts';
import { isOutOfMemory, OutputMeter } from './command-limits.ts';
import type { CommandDefinition } from './commands.ts';
import { clientGone, commandFailed, commandTimedOut, memoryTooSmall, outputTooLarge } from './errors.ts';
import { endProcessGroup, isGroupAlive, killProcessGroup } from './process-group.ts';
import type { Source } from './source.ts';
import { type CommandStart, spawnCommand } from './spawn-command.ts';
import { StderrTail } from './stderr-tail.ts';

/** How long children that a command leaves behind may be silent before their output counts as ended. */
const LEFTOVER_SILENCE_MS = 2_000;
/** Maximum time for which an answer waits until the folder of its run is removed. */
const CLEAN_UP_WAIT_MS = 100;
/** The time to send the last bytes within a limit. */
const LAST_BYTES_MS = 100;

interface PipeReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** How a command ended: an exit code, or the signal that killed it. */
export interface CommandExit {
  code: number | null;
  signal: string | number | null;
  stderr: string;
}

/**
 * One run of a command: its process group, its three pipes, and the first thing that went wrong.
 * The child leads a group of its own, so that whatever it starts can be ended with it.
 */
export class CommandRun {
  readonly #command: CommandDefinition;
  readonly #child: Bun.Subprocess<'pipe', 'pipe', 'pipe'>;
  readonly #output: PipeReader;
  readonly #stderr: StderrTail;
  readonly #timer: Timer;
  #failure: ServiceError | undefined;
  #source: Source | undefined;
  #hasExited = false;
  #isGroupGone = false;
  #hasInputEnded = false;
  #isWriting = false;
  readonly #meter: OutputMeter;
  #onFailure: ((reason: ServiceError) => void) | undefined;
  readonly #ended = Promise.withResolvers<void>();
  #groupEnd: Promise<void> | undefined;
  readonly #cleanedUp: Promise<void>;
  #isReading = false;
  #silenceTimer: Timer | undefined;

  /** Starts the command. Throws `misconfigured` if the program cannot be run. */
  constructor(start: CommandStart) {
    const { command } = start;
    this.#command = command;
    this.#meter = new OutputMeter(command.maxOutputBytes);
    this.#child = spawnCommand(start);
    this.#output = this.#child.stdout.getReader();
    this.#stderr = new StderrTail(this.#child.stderr, this.#child.exited);
    this.#timer = setTimeout(() => this.fail(commandTimedOut(command.timeoutSeconds)), command.timeoutSeconds * 1000);
    this.#cleanedUp = this.ended.then(() => this.#groupEnd).then(start.cleanUp);
    void this.#child.exited.then(() => this.#onExit());
  }

  /** Resolves when the run is over: the command has left, and so has whatever still wrote for it. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Resolves when no process of the run is left and its folder has been removed. */
  get cleanedUp(): Promise<void> {
    return this.#cleanedUp;
  }

  /** The process id of the command, which is also the id of its process group. */
  get pid(): number {
    return this.#child.pid;
  }

  get maxOutputBytes(): number | undefined {
    return this.#command.maxOutputBytes;
  }

  get failure(): ServiceError | undefined {
    return this.#failure;
  }

  /** Gives the run up: the first reason stands, the whole group is ended, and a waiting read returns. */
  fail(reason: ServiceError): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    clearTimeout(this.#timer);
    this.#endGroup();
    void this.#output.cancel();
    void this.#source?.cancel();
    if (this.#hasExited) this.#ended.resolve();
    this.#onFailure?.(reason);
  }

  /** Calls `listener` with a failure at once, even while the output is not being read. */
  onFailure(listener: (reason: ServiceError) => void): void {
    this.#onFailure = listener;
  }

  /** Ends the run without giving it time. */
  kill(): void {
    if (!this.#isGroupGone) killProcessGroup(this.#child.pid);
  }

  /**
   * Writes a source to the command's standard input, as fast as it is taken, and closes it at the
   * source's true end. Input that breaks off fails the run: the command is ended and never sees an
   * end of file. A command that stops reading is no failure (`head`, `identify`).
   */
  async feed(source: Source, first: Uint8Array | undefined): Promise<void> {
    this.#source = source;
    try {
      for (let chunk = first; chunk !== undefined; chunk = await source.read()) {
        if (this.#hasExited) this.#refuseReaders();
        if (this.#hasExited || this.#failure || !(await this.#write(chunk))) return;
      }
      if (this.#failure === undefined) await this.#closeStdin();
    } catch (error) {
      // Cancelling a source after the command has left ends its read in an error that means nothing.
      if (!this.#isGroupGone) this.fail(error instanceof ServiceError ? error : commandFailed(error));
    } finally {
      this.#hasInputEnded = true;
      await source.cancel();
    }
  }

  /** Returns the next bytes of standard output; undefined at its end, and once the run has failed or hit its limit. */
  async read(): Promise<Uint8Array | undefined> {
    this.#isReading = true;
    if (this.#hasExited) this.#watchLeftovers();
    try {
      if (!this.#meter.isOver) {
        const { value } = await this.#output.read();
        const part = value && this.#meter.take(value);
        if (!this.#meter.isOver || part?.byteLength) return part;
      }
      // Closing the connection at once would lose the last bytes. The repository recognizes the limit by their number.
      await Bun.sleep(LAST_BYTES_MS);
      this.fail(outputTooLarge(this.#meter.maxBytes));
      return undefined;
    } finally {
      this.#isReading = false;
      if (this.#hasExited) clearTimeout(this.#silenceTimer);
    }
  }

  /** Waits for the end of the run after the end of its output. Throws what failed it, if anything did. */
  async finish(): Promise<CommandExit> {
    if (this.#failure === undefined) {
      await this.#child.exited;
      this.#endGroup();
      this.#leave();
      this.#ended.resolve();
    }
    const exit = await this.exit();
    await settlesWithin(this.#cleanedUp, CLEAN_UP_WAIT_MS);
    if (this.#failure !== undefined) throw this.#failure;
    if (exit.code === 0) return exit;
    const how = exit.signal ? `was ended by ${exit.signal}` : `exited with ${exit.code}`;
    const cause = new Error(`${this.#command.cmd} ${how}`);
    const { maxMemoryBytes } = this.#command;
    if (maxMemoryBytes && isOutOfMemory(this.#command, exit.stderr)) throw memoryTooSmall(maxMemoryBytes, cause);
    throw commandFailed(cause);
  }

  /** What is known of the exit: at once after a failure, complete after a regular end. */
  async exit(): Promise<CommandExit> {
    if (this.#hasExited) await this.#stderr.closed;
    return { code: this.#child.exitCode, signal: this.#child.signalCode, stderr: this.#stderr.toString() };
  }

  /** Ends the run because nobody wants its output any more. */
  abandon(): void {
    this.fail(clientGone());
  }

  async #write(chunk: Uint8Array): Promise<boolean> {
    this.#isWriting = true;
    try {
      const written = this.#child.stdin.write(chunk);
      if (typeof written !== 'number') await written;
      const flushed = this.#child.stdin.flush();
      if (typeof flushed !== 'number') await flushed;
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) this.#refuseReaders();
      return false;
    } finally {
      this.#isWriting = false;
    }
  }

  #onExit(): void {
    this.#hasExited = true;
    if (this.#failure !== undefined) this.#ended.resolve();
    if (this.#failure !== undefined || !isGroupAlive(this.#child.pid)) this.#leave();
    else if (this.#isWriting) this.#refuseReaders();
    if (this.#isReading) this.#watchLeftovers();
  }

  /**
   * Bun closes standard input when the command itself has left. Children of it that read on would take
   * that for the end of the file, so with input left over and children there, the run has failed.
   */
  #refuseReaders(): void {
    if (this.#isGroupGone || !isGroupAlive(this.#child.pid)) return;
    this.fail(commandFailed(new Error('it left before its children had read the whole file')));
  }

  /** Nobody is left to give the rest of the input to, or any time. */
  #leave(): void {
    this.#isGroupGone = true;
    clearTimeout(this.#timer);
    void this.#source?.cancel();
    void this.#closeStdin();
  }

  /** Ends what is left of the group. Once it was seen empty its number may be someone else's. */
  #endGroup(): void {
    if (!this.#isGroupGone) this.#groupEnd ??= endProcessGroup(this.#child.pid);
  }

  async #closeStdin(): Promise<void> {
    try {
      await this.#child.stdin.end();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    }
  }

  /** Children that outlive the command may read and write to the end; once they are silent they are ended. */
  #watchLeftovers(): void {
    this.#silenceTimer = setTimeout(() => {
      if (!this.#hasInputEnded) return this.#watchLeftovers();
      this.#endGroup();
      void this.#output.cancel();
    }, LEFTOVER_SILENCE_MS);
  }
}
