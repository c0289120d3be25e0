import type { Log } from '../base/log.ts';
import { settlesWithin } from '../base/settles-within.ts';
import { commandNotStarted } from './errors.ts';
import { createGroupWatch, type GroupWatch } from './group-watch.ts';
import { CommandRun } from './run-command.ts';
import type { CommandStart } from './spawn-command.ts';
import type { WorkFolders } from './work-folders.ts';

/** Every command that runs, each in a working folder of its own that is removed when its last process has ended. */
export class CommandRuns {
  /**
   * An array, as JavaScriptCore keeps what was deleted from a long-lived Set until a full collection: with their
   * buffers, hundreds of megabytes of finished runs.
   */
  readonly running: CommandRun[] = [];
  readonly #folders: WorkFolders;
  readonly #watch: GroupWatch;
  readonly #log: Log;
  readonly #cwd: string | undefined;

  /** `cwd` is the current directory of all commands; left out: the working folder of each. */
  constructor(folders: WorkFolders, log: Log, cwd?: string) {
    this.#folders = folders;
    this.#cwd = cwd;
    this.#watch = createGroupWatch(folders.prefix, log);
    this.#log = log;
  }

  /**
   * Creates the folder of a run, for `start` or `discard`, while its source is waited for. Rejects with `misconfigured`
   * if that is impossible.
   */
  createFolder(): Promise<string> {
    const creation = this.#folders.create().catch((cause: unknown) => {
      throw commandNotStarted(cause);
    });
    // It is awaited later, if at all.
    creation.catch(() => undefined);
    return creation;
  }

  /** Removes the folder of a run that does not start. */
  async discard(creation: Promise<string>): Promise<void> {
    const folder = await creation.catch(() => undefined);
    if (folder !== undefined) await this.#remove(folder);
  }

  /** Starts a command in its folder. Throws `misconfigured` if the program cannot be run. */
  start(start: Omit<CommandStart, 'cwd' | 'tidy'>): CommandRun {
    const run: CommandRun = new CommandRun({ ...start, cwd: this.#cwd, tidy: () => this.#tidy(run, start.folder) });
    this.#watch.add(run.pid);
    this.running.push(run);
    return run;
  }

  /** Waits for the last processes and folders, at most so long. To be called once nothing is started any more. */
  async close(maxWaitMs: number): Promise<void> {
    // Otherwise the watcher ends what is left, as soon as this process has ended.
    if (await settlesWithin(Promise.all(this.running.map((run) => run.tidied)), maxWaitMs)) this.#watch.close();
  }

  async #tidy(run: CommandRun, folder: string): Promise<void> {
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
