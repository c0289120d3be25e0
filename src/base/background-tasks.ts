/** Work of a process that no request waits for. */
export interface BackgroundTasks {
  /** Starts work. A failure is reported, unless the tasks are being stopped. */
  start(name: string, work: (signal: AbortSignal) => Promise<unknown>): void;
  /** Aborts when the process begins to stop. */
  readonly stopping: AbortSignal;
  /** Aborts the signal of all work, and waits for its end. */
  stop(): Promise<void>;
}

/** Creates the tasks of a process. `fail` reports the failure of a task. */
export function createBackgroundTasks(fail: (message: string, error: unknown) => void): BackgroundTasks {
  const control = new AbortController();
  const running = new Set<Promise<void>>();
  return {
    stopping: control.signal,
    start(name, work) {
      if (control.signal.aborted) return;
      const task: Promise<void> = work(control.signal)
        .catch((error: unknown) => {
          if (!control.signal.aborted) fail(`${name} failed`, error);
        })
        .then(() => void running.delete(task));
      running.add(task);
    },
    async stop() {
      control.abort(new Error('the server stops'));
      await Promise.all(running);
    },
  };
}
