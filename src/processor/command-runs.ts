import type { Log } from '../base/log.ts';
import { settlesWithin } from '../base/settles-within.ts';
import { commandNotStarted } from './errors.ts';
import { createGroupWatch, type GroupWatch } from './group-watch.ts';
import { CommandRun } from './run-command.ts';
import type { CommandStart } from './spawn-command.ts';
import type { WorkFolders } from './work-folders.ts';

/** All running commands. Each has its own working folder, which is removed when its last process has ended. */
export class CommandRuns {
  /**
   * An array, because JavaScriptCore keeps deleted members of a long-lived Set until a full collection: hundreds of
   * megabytes of finished runs with their buffers.
   */
  readonly running: CommandRun[] = [];
  readonly #folders: WorkFolders;
  readonly #watch: GroupWatch;
  readonly #log: Log;
  readonly #cwd: string | undefined;

  /** `cwd` is the current directory of all commands; default: the working folder of each. */
  constructor(folders: WorkFolders, log: Log, cwd?: string) {
    this.#folders = folders;
    this.#cwd = cwd;
    this.#watch = createGroupWatch(folders.prefix, log);
    this.#log = log;
  }

  /**
   * Creates the folder of a run for `start` or `discard`, in parallel with the wait for its source. Rejects with
   * `misconfigured` if that fails.
   */
  createFolder(): Promise<string> {
    const creation = this.#folders.create().catch((cause: unknown) => {
      throw commandNotStarted(cause);
    });
    // The caller handles the rejection later. Without this handler, it would end the process.
    creation.catch(() => undefined);
    return creation;
  }

  /** Removes the folder of a run that does not start. */
  async discard(creation: Promise<string>): Promise<void> {
    const folder = await creation.catch(() => undefined);
    if (folder !== undefined) await this.#remove(folder);
  }

  /** Starts a command in its folder. Throws `misconfigured` if the program cannot be run. */
  start(start: Omit<CommandStart, 'cwd' | 'cleanUp'>): CommandRun {
    const run: CommandRun = new CommandRun({
      ...start,
      cwd: this.#cwd,
      cleanUp: () => this.#cleanUp(run, start.folder),
    });
    this.#watch.add(run.pid, start.command.env.TMPDIR === undefined);
    this.running.push(run);
    return run;
  }

  /** Waits until all processes have ended and all folders are removed. Call it after the last `start`. */
  async close(maxWaitMs: number): Promise<void> {
    // Otherwise the watcher kills the remaining processes when this one has ended.
    if (await settlesWithin(Promise.all(this.running.map((run) => run.cleanedUp)), maxWaitMs)) this.#watch.close();
  }

  async #cleanUp(run: CommandRun, folder: string): Promise<void> {
    this.#watch.remove(run.pid);
    await this.#remove(folder);
    this.running.splice(this.running.indexOf(run), 1);
  }

  async #remove(folder: string): Promise<void> {
    try {
      await this.#folders.remove(folder);
    } catch (error) {
      this.#log.warn({ err: error, folder }, 'the working folder of a command cannot be removed');
    }
  }
}
