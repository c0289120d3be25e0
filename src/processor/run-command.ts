import { ServiceError } from '../base/errors.ts';
import type { CommandDefinition } from './config.ts';
import { clientGone, commandFailed, commandNotStarted, commandTimedOut } from './errors.ts';
import { endProcessGroup } from './process-group.ts';
import type { Source } from './source.ts';
import { Tail } from './tail.ts';

const STDERR_TAIL_BYTES = 4 * 1024;
/** How long children that a command leaves behind may be silent before their output counts as ended. */
const LEFTOVER_SILENCE_MS = 2_000;
/** How long a command runs before its standard error is read along; a shorter one's is read at its end. */
const STDERR_DELAY_MS = 50;
/** How long standard error may stay open after everything else has ended. */
const STDERR_GRACE_MS = 1_000;

export interface CommandStart {
  command: CommandDefinition;
  args: readonly string[];
  /** The whole environment of the child. */
  env: Record<string, string>;
}

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
  readonly #stderr = new Tail(STDERR_TAIL_BYTES);
  #stderrReader: PipeReader | undefined;
  readonly #stderrClosed: Promise<void>;
  readonly #timer: Timer;
  #failure: ServiceError | undefined;
  #source: Source | undefined;
  #hasExited = false;
  #isReading = false;
  #silenceTimer: Timer | undefined;

  /** Starts the command. Throws `misconfigured` if the program cannot be run. */
  constructor({ command, args, env }: CommandStart) {
    this.#command = command;
    this.#child = spawn(command.program, args, env);
    this.#output = this.#child.stdout.getReader();
    this.#stderrClosed = this.#collectStderr();
    this.#timer = setTimeout(() => this.fail(commandTimedOut(command.timeoutSeconds)), command.timeoutSeconds * 1000);
    void this.#child.exited.then(() => this.#onExit());
  }

  /** Resolves when the command's own process is gone, whatever came of it. */
  get exited(): Promise<unknown> {
    return this.#child.exited;
  }

  get failure(): ServiceError | undefined {
    return this.#failure;
  }

  /** Gives the run up: the first reason stands, the whole group is ended, and a waiting read returns. */
  fail(reason: ServiceError): void {
    if (this.#failure !== undefined) return;
    this.#failure = reason;
    endProcessGroup(this.#child.pid);
    void this.#output.cancel();
    void this.#source?.cancel();
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
        if (this.#hasExited || this.#failure || !(await this.#write(chunk))) return;
      }
      if (this.#failure === undefined) await this.#closeStdin();
    } catch (error) {
      // Cancelling a source after the command has left ends its read in an error that means nothing.
      if (!this.#hasExited) this.fail(error instanceof ServiceError ? error : commandFailed(error));
    } finally {
      await source.cancel();
    }
  }

  /** The next bytes of standard output, or undefined at its end or once the run has failed. */
  async read(): Promise<Uint8Array | undefined> {
    this.#isReading = true;
    if (this.#hasExited) this.#watchLeftovers();
    const { done, value } = await this.#output.read();
    this.#isReading = false;
    clearTimeout(this.#silenceTimer);
    return done ? undefined : value;
  }

  /** Waits for the end of the run after the end of its output. Throws what failed it, if anything did. */
  async finish(): Promise<CommandExit> {
    if (this.#failure === undefined) {
      await this.#child.exited;
      endProcessGroup(this.#child.pid);
    }
    const exit = await this.exit();
    if (this.#failure !== undefined) throw this.#failure;
    if (exit.code === 0) return exit;
    const how = exit.signal ? `was ended by ${exit.signal}` : `exited with ${exit.code}`;
    throw commandFailed(new Error(`${this.#command.cmd} ${how}`));
  }

  /** What is known of the exit: at once after a failure, complete after a regular end. */
  async exit(): Promise<CommandExit> {
    if (this.#hasExited) {
      const grace = setTimeout(() => void this.#stderrReader?.cancel(), STDERR_GRACE_MS);
      await this.#stderrClosed;
      clearTimeout(grace);
    }
    return { code: this.#child.exitCode, signal: this.#child.signalCode, stderr: this.#stderr.toString() };
  }

  /** Ends the run because nobody wants its output any more. */
  abandon(): void {
    this.fail(clientGone());
  }

  async #write(chunk: Uint8Array): Promise<boolean> {
    try {
      const written = this.#child.stdin.write(chunk);
      if (typeof written !== 'number') await written;
      const flushed = this.#child.stdin.flush();
      if (typeof flushed !== 'number') await flushed;
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EPIPE') return false;
      throw error;
    }
  }

  #onExit(): void {
    this.#hasExited = true;
    clearTimeout(this.#timer);
    void this.#source?.cancel();
    void this.#closeStdin();
    if (this.#isReading) this.#watchLeftovers();
  }

  async #closeStdin(): Promise<void> {
    try {
      await this.#child.stdin.end();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    }
  }

  /** Children that outlive the command may finish writing; once they are silent they are ended. */
  #watchLeftovers(): void {
    this.#silenceTimer = setTimeout(() => {
      endProcessGroup(this.#child.pid);
      void this.#output.cancel();
    }, LEFTOVER_SILENCE_MS);
  }

  async #collectStderr(): Promise<void> {
    // Taking the reader makes Bun read ahead into a buffer of 256 KiB, and most commands have nothing to
    // say. A thousand of those between collections scatter the heap; so the pipe itself keeps it a while.
    const delay = Promise.withResolvers<void>();
    const timer = setTimeout(delay.resolve, STDERR_DELAY_MS);
    await Promise.race([this.#child.exited, delay.promise]);
    clearTimeout(timer);
    const reader: PipeReader = this.#child.stderr.getReader();
    this.#stderrReader = reader;
    for (;;) {
      const { value } = await reader.read();
      if (value === undefined) return;
      this.#stderr.add(value);
    }
  }
}

function spawn(program: string, args: readonly string[], env: Record<string, string>) {
  try {
    return Bun.spawn([program, ...args], { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe', env, detached: true });
  } catch (cause) {
    throw commandNotStarted(cause);
  }
}
