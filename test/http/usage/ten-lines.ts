/** A line of the log of a web server, with the item that its address belongs to. */
export interface Logged {
  readonly at: number;
  readonly address: string;
  readonly agent: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly range: string | undefined;
  readonly item: number | undefined;
  readonly isFile: boolean;
}

/** Counts the uses in a log by the words of the Code of Practice 5.1, 7.1 to 7.3, in ten lines. */
export function countLog(log: readonly Logged[], robots: RegExp): Map<string, [number, number, number, number]> {
  const user = (line: Logged) =>
    `${line.address}|${line.agent}|${new Date(line.at * 1_000).toISOString().slice(0, 10)}`;
  const valid = log.filter(
    ({ method, status, agent }) => method === 'GET' && [200, 206, 304].includes(status) && !robots.test(agent),
  );
  const uses = valid.filter(
    ({ item, range }) => item !== undefined && (range === undefined || range.startsWith('bytes=0-')),
  );
  const isRepeated = (a: Logged, b: Logged) => user(a) === user(b) && a.path === b.path && b.at - a.at <= 30;
  const clicks = uses.filter((use, at) => !uses.slice(at + 1, at + 200).some((other) => isRepeated(use, other)));
  const sessions = (of: Logged[]) => new Set(of.map((line) => `${user(line)}|${Math.floor(line.at / 3_600)}`)).size;
  const numbers = (all: Logged[], files = all.filter(({ isFile }) => isFile)): [number, number, number, number] => [
    all.length,
    sessions(all),
    files.length,
    sessions(files),
  ];
  const byDay = Map.groupBy(clicks, ({ item, at }) => `${item} ${Math.floor(at / 86_400)}`);
  return new Map(Array.from(byDay, ([key, all]) => [key, numbers(all)]));
}
