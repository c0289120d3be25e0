import { ServiceError } from '../base/errors.ts';
import { settlesWithin } from '../base/settles-within.ts';
import { CommandInput, CommandOutput } from './command-streams.ts';
import type { CommandDefinition } from './config/commands.ts';
import {
  clientGone,
  commandFailed,
  commandTimedOut,
  fileUnreadable,
  memoryTooSmall,
  outputTooLarge,
} from './errors.ts';
import { permanentReason } from './failure-reasons.ts';
import { endProcessGroup, isGroupAlive, killProcessGroup } from './process-group.ts';
import type { Source } from './source.ts';
import { type CommandStart, isOutOfMemory, spawnCommand } from './spawn-command.ts';
import { StderrTail } from './stderr-tail.ts';

/** The silence after which the output of children that outlive the command counts as ended, in milliseconds. */
const LEFTOVER_SILENCE_MS = 2_000;
/** Maximum time for which an answer waits until the folder of its run is removed. */
const CLEAN_UP_WAIT_MS = 100;
/** The time to send the last bytes within a limit. */
const LAST_BYTES_MS = 100;

/** The exit code of a command or the signal that killed it, and the end of its standard error. */
interface CommandExit {
  code: number | null;
  signal: string | number | null;
  stderr: string;
}

/**
 * One run of a command: its process group, its three pipes, and its first failure. The child leads a group of its own, so
 * that everything it starts can be ended with it.
 */
export class CommandRun {
  readonly #command: CommandDefinition;
  readonly #child: Bun.Subprocess<'pipe', 'pipe', 'pipe'>;
  readonly #input: CommandInput;
  readonly #output: CommandOutput;
  readonly #stderr: StderrTail;
  readonly #timer: Timer;
  #failure: ServiceError | undefined;
  #source: Source | undefined;
  #hasExited = false;
  #isGroupGone = false;
  #hasInputEnded = false;
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
    this.#child = spawnCommand(start);
    this.#input = new CommandInput(this.#child.stdin);
    this.#output = new CommandOutput(this.#child.stdout, command.maxOutputBytes);
    this.#stderr = new StderrTail(this.#child.stderr, this.#child.exited);
    this.#timer = setTimeout(() => this.fail(commandTimedOut(command.timeoutSeconds)), command.timeoutSeconds * 1000);
    this.#cleanedUp = this.ended.then(() => this.#groupEnd).then(start.cleanUp);
    void this.#child.exited.then(() => this.#onExit());
  }

  /** Resolves when the run is over: the command and all writers of its output have ended. */
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

  /** Ends the run with a failure, unless it has one: the whole group is ended, and a waiting read returns. */
  fail(reason: ServiceError): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    clearTimeout(this.#timer);
    this.#endGroup();
    this.#output.cancel();
    void this.#source?.cancel();
    if (this.#hasExited) this.#ended.resolve();
    this.#onFailure?.(reason);
  }

  /** Calls `listener` with a failure at once, even while the output is not being read. */
  onFailure(listener: (reason: ServiceError) => void): void {
    this.#onFailure = listener;
  }

  /** Kills all processes of the run. */
  kill(): void {
    if (!this.#isGroupGone) killProcessGroup(this.#child.pid);
  }

  /**
   * Writes a source to the command's standard input, at the pace of the command, and closes it at the true end of the
   * source. A truncated source fails the run: the command is ended and never sees an end of file. A command that stops
   * reading has not failed (`head`, `identify`).
   */
  async feed(source: Source, first: Uint8Array | undefined): Promise<void> {
    this.#source = source;
    try {
      for (let chunk = first; chunk !== undefined; chunk = await source.read()) {
        if (this.#hasExited) this.#refuseReaders();
        if (this.#hasExited || this.#failure || !(await this.#write(chunk))) return;
      }
      if (this.#failure === undefined) await this.#input.close();
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
      if (!this.#output.isOver) {
        const part = await this.#output.read();
        if (part !== undefined || !this.#output.isOver) return part;
      }
      // Closing the connection at once would lose the last bytes. The repository recognizes the limit by their number.
      // The wait must begin before that of `holdOutput`, so that the failure can still be the status.
      await Bun.sleep(LAST_BYTES_MS);
      this.fail(outputTooLarge(this.#output.maxBytes));
      return undefined;
    } finally {
      this.#isReading = false;
      if (this.#hasExited) clearTimeout(this.#silenceTimer);
    }
  }

  /** Waits for the end of the run after the end of its output. Throws its failure, if any. */
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
    const reason = permanentReason(exit.stderr);
    throw reason === undefined ? commandFailed(cause) : fileUnreadable(reason, cause);
  }

  /** Returns how the command ended: known so far after a failure, complete after a regular end. */
  async exit(): Promise<CommandExit> {
    if (this.#hasExited) await this.#stderr.closed;
    return { code: this.#child.exitCode, signal: this.#child.signalCode, stderr: this.#stderr.toString() };
  }

  /** Ends the run of a client that has left. */
  abandon(): void {
    this.fail(clientGone());
  }

  async #write(chunk: Uint8Array): Promise<boolean> {
    if (await this.#input.write(chunk)) return true;
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) this.#refuseReaders();
    return false;
  }

  #onExit(): void {
    this.#hasExited = true;
    if (this.#failure !== undefined) this.#ended.resolve();
    if (this.#failure !== undefined || !isGroupAlive(this.#child.pid)) this.#leave();
    else if (this.#input.isWriting) this.#refuseReaders();
    if (this.#isReading) this.#watchLeftovers();
  }

  /**
   * Fails a run with remaining input and children. Bun closes standard input when the command itself has ended, and its
   * children would take that for the end of the file.
   */
  #refuseReaders(): void {
    if (this.#isGroupGone || !isGroupAlive(this.#child.pid)) return;
    this.fail(commandFailed(new Error('it left before its children had read the whole file')));
  }

  /** Ends the input and the time limit: no process is left for them. */
  #leave(): void {
    this.#isGroupGone = true;
    clearTimeout(this.#timer);
    void this.#source?.cancel();
    void this.#input.close();
  }

  /** Ends the remaining processes of the group. After it was seen empty, its number may belong to another group. */
  #endGroup(): void {
    if (!this.#isGroupGone) this.#groupEnd ??= endProcessGroup(this.#child.pid);
  }

  /** Ends children that outlive the command once they neither read nor write. */
  #watchLeftovers(): void {
    this.#silenceTimer = setTimeout(() => {
      if (!this.#hasInputEnded) return this.#watchLeftovers();
      this.#endGroup();
      this.#output.cancel();
    }, LEFTOVER_SILENCE_MS);
  }
}
