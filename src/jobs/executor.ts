/** Runs jobs of a pool: the embedded processor, or processors at addresses. */
export interface Executor {
  /** Returns the number of jobs that it can start now. */
  free(): number;
  /** Runs a job in a slot. Rejects with the error of the job. */
  run<T>(job: (place: Slot) => Promise<T>): Promise<T>;
  /** Returns the missing programs that are needed to convert one type to another; empty if none is known to be missing. */
  missingFor(sourceType: string, mimeType: string): readonly string[];
  /** Calls `listener` when more jobs may be possible: a slot is free again, or a program was installed. */
  onChange(listener: () => void): void;
  stop(): void;
}

/** A place for one job at a processor. */
export interface Slot {
  /** The URL of the processor. */
  readonly address: string;
  send(request: Request): Promise<Response>;
  /** Must be called when the answer begins: the processor works, however long the answer takes. */
  noteAnswer(): void;
  /** Must be called at the end of the answer: the slot is free for another job while this answer is stored. */
  noteEnd(): void;
  /** Returns the last line that the command wrote to standard error, if it is known. */
  stderrLine(): string | undefined;
  /** Returns the message about an exceeded limit of the command, if it is known. */
  exceeded(): string | undefined;
}
