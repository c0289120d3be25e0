/** Tells the background task of this process that a run was started. */
export interface BulkWaker {
  wake(): void;
  /** Registers the listener that `wake` calls. */
  onWake(listener: () => void): void;
}

export function createBulkWaker(): BulkWaker {
  let listener = () => {};
  return {
    wake: () => listener(),
    onWake(next) {
      listener = next;
    },
  };
}
