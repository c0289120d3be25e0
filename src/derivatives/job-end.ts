/** There is nothing left to do: the node is gone, or has no pages. The message says what became of it. */
export class JobOver extends Error {
  override readonly name = 'JobOver';
}

/** Somebody else has the job by now, or its source has changed since it was begun. */
export class JobLost extends Error {
  override readonly name = 'JobLost';

  constructor() {
    super('the job is no longer ours, or its source has changed');
  }
}

/** The program ends: the job is let go of as it is. */
export class JobInterrupted extends Error {
  override readonly name = 'JobInterrupted';

  constructor() {
    super('the program is stopping');
  }
}
