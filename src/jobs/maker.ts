/** Whoever makes derivatives for one pool of jobs: the processor within, or processors at addresses. */
export interface Maker {
  /** How many more jobs it takes now. */
  free(): number;
  /** Does a job at one of its places. Rejects with what the job rejects with. */
  run<T>(job: (place: Place) => Promise<T>): Promise<T>;
  /** Programs that must be installed before it can make one type of another; empty if nothing is known to be missing. */
  missingFor(sourceType: string, mimeType: string): readonly string[];
  /** Is told whenever more may be possible than before: a place is back, or a program was installed. */
  onChange(listener: () => void): void;
  stop(): void;
}

/** A processor that can be asked. */
export interface Place {
  /** Its URL. */
  readonly address: string;
  send(request: Request): Promise<Response>;
  /** To be called once it has begun to answer: it is in order then, however long the rest takes. */
  noteAnswer(): void;
  /** To be called once it has answered to the end: it may be given another job while this one's answer is stored. */
  noteEnd(): void;
  /** The last thing that the command said on standard error, where that can be known. */
  stderrLine(): string | undefined;
  /** Returns the message about an exceeded limit of the command, if the maker can know it. */
  exceeded(): string | undefined;
}
