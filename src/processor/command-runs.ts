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

  /** Starts a command. Throws `misconfigured` if the program or its folder cannot be had. */
  start(start: Omit<CommandStart, 'folder' | 'cwd' | 'tidy'>): CommandRun {
    const folder = this.#createFolder();
    let run: CommandRun;
    try {
      run = new CommandRun({ ...start, folder, cwd: this.#cwd, tidy: () => this.#tidy(run, folder) });
    } catch (error) {
      void this.#remove(folder);
      throw error;
    }
    this.#watch.add(run.pid);
    this.running.push(run);
    return run;
  }

  /** Waits for the last processes and folders, at most so long. To be called once nothing is started any more. */
  async close(maxWaitMs: number): Promise<void> {
    // Otherwise the watcher ends what is left, as soon as this process has ended.
    if (await settlesWithin(Promise.all(this.running.map((run) => run.tidied)), maxWaitMs)) this.#watch.close();
  }

  #createFolder(): string {
    try {
      return this.#folders.create();
    } catch (cause) {
      throw commandNotStarted(cause);
    }
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
