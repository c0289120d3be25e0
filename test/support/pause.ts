/**
 * The pause of a slow sender or reader, the length of a fault, or the moment of a kill. The result of a test does not depend
 * on its length: tests wait for events with `until`.
 */
export const pause = (milliseconds: number): Promise<void> => Bun.sleep(milliseconds);
