/** Tells the work of this process that there is something to do. */
export interface Waker {
  wake(): void;
  /** Registers the listener that `wake` calls. */
  onWake(listener: () => void): void;
}

export function createWaker(): Waker {
  let listener = () => {};
  return {
    wake: () => listener(),
    onWake(next) {
      listener = next;
    },
  };
}
