/** How often a line says how far something is where no bar can be drawn. */
const LINE_INTERVAL_MS = 10_000;

/** Says now and then how far something is, in a line that `lineOf` makes. */
export function createProgressLines<Progress>(
  stream: NodeJS.WriteStream,
  lineOf: (progress: Progress) => string,
): (progress: Progress) => void {
  let next = performance.now() + LINE_INTERVAL_MS;
  return (progress) => {
    if (performance.now() < next) return;
    next = performance.now() + LINE_INTERVAL_MS;
    stream.write(`${lineOf(progress)}\n`);
  };
}
