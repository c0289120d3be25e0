import { readFile } from 'node:fs/promises';

/** One measured line: a ratio that must not fall below a target, or a value that must not pass a limit. */
export type Figure = { name: string; ours: string } & (
  | { baseline: string; ratio: number; target: number }
  | { limit: number; value: number }
);

const ROUNDS = 5;

/** The best of several rounds: the one that other work on the machine disturbed least. */
export const best = (values: number[]) => Math.max(...values);

/** Returns the best rates of ours and of the baseline. Rounds take turns, so that both see the same machine. */
export async function inTurns(
  ours: () => Promise<number>,
  baseline: () => Promise<number>,
  rounds = ROUNDS,
): Promise<[ours: number, baseline: number]> {
  const [mine, theirs]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    theirs.push(await baseline());
    mine.push(await ours());
  }
  return [best(mine), best(theirs)];
}

/** `inTurns` with a first round that is not counted, in which both warm up. */
export async function warmInTurns(
  ours: () => Promise<number>,
  baseline: () => Promise<number>,
  rounds = ROUNDS,
): Promise<[ours: number, baseline: number]> {
  await baseline();
  await ours();
  return inTurns(ours, baseline, rounds);
}

/** Returns the figure of a rate, as a ratio to that of a baseline. */
export function ratioOf(
  name: string,
  rates: readonly [ours: number, baseline: number],
  target: number,
  unit = '/s',
): Figure {
  const [ours, baseline] = rates;
  const shown = { ours: `${ours.toFixed(0)} ${unit}`, baseline: `${baseline.toFixed(0)} ${unit}` };
  return { name, ...shown, ratio: ours / baseline, target };
}

/** The most memory a process has ever had resident, in MB (10^6 bytes). Rejects for one that has ended. */
export async function peakRssMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kib = status.match(/VmHWM:\s+(\d+) kB/)?.[1];
  // Until its parent has asked how it ended, a process is still listed, without its memory.
  if (kib === undefined) throw new Error(`process ${pid} has ended`);
  return Math.round((Number(kib) * 1024) / 1e6);
}

/** Prints the figures as a table, and which of them miss their target. */
export function report(title: string, figures: Figure[]): void {
  const width = Math.max(...figures.map((figure) => figure.name.length));
  console.log(
    `\n${title} (Bun ${Bun.version}, ${process.platform} ${process.arch}, ${navigator.hardwareConcurrency} cores)`,
  );
  for (const figure of figures) {
    const isMet = 'ratio' in figure ? figure.ratio >= figure.target : figure.value <= figure.limit;
    const detail =
      'ratio' in figure
        ? `${figure.ours}  baseline ${figure.baseline}  ratio ${figure.ratio.toFixed(2)} (at least ${figure.target})`
        : `${figure.ours} (at most ${figure.limit})`;
    console.log(`  ${isMet ? 'met   ' : 'MISSED'}  ${figure.name.padEnd(width)}  ${detail}`);
  }
}
