import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import { outcomeOf } from '../support/command-outcome.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { createRandom } from '../support/random.ts';
import { EXECUTABLE, startServer } from '../support/server-process.ts';
import { basic } from '../support/test-repository.ts';
import { type Figure, report } from './report.ts';

/**
 * The completions of a reference with an authority list of very many names, for texts that are typed letter by letter; and
 * what loading the list takes. `REPO_AUTHORITY_RECORDS` is the number of records (default: a million, with two names each).
 */

const RECORDS = Number(process.env.REPO_AUTHORITY_RECORDS ?? 1_000_000);
const ROUNDS = 20;
const MAX_MS = 30;
const SKOS = 'http://www.w3.org/2004/02/skos/core#';
const SYLLABLES =
  'smi th jo han mar ia ber lin ka to wa gner schu mann pe ter an na el la gar cia lo pez mu ham med chen li wu'.split(
    ' ',
  );
/** Surnames of which there are very many, as of Smith. */
const FREQUENT = ['Smith', 'Johnson', 'Garcia', 'Wang', 'Miller', 'Lopez', 'Chen', 'Ivanov'];
/** Beginnings of most, many, few and no names, and words in another order. */
const TYPED = [
  ...[
    's',
    'sm',
    'smi',
    'smith',
    'smith, j',
    'smith, jo',
    'smith, joha',
    'j s',
    'johan smith',
    'a b',
    'ma',
    'mariaberlin',
  ],
  ...['garcia lopez', 'wagner peter anna', 'm m m', '1850', 'smith 1850', 'zeppelin', 'smith zeppelin', 'lopez m'],
];

const folder = await emptyFolder();
const figures: Figure[] = [];
const data = join(folder, 'data');
const server = await startServer({ mode: 'repository', data });
try {
  const file = join(folder, 'names.nt.gz');
  await writeNames(file);
  const before = (await stat(join(data, 'repository.db'))).size;
  const startedAt = performance.now();
  const command = [EXECUTABLE, 'authority', 'load', file, '--name', 'names', '--kind', 'person', '--data', data];
  const { code, out, err } = await outcomeOf(Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' }));
  if (code !== 0) throw new Error(err);
  const seconds = (performance.now() - startedAt) / 1_000;
  const bytes = (await stat(join(data, 'repository.db'))).size - before;
  const perRecord = Math.round(bytes / RECORDS);
  console.log(out.trim());
  const perSecond = Math.round(RECORDS / seconds);
  console.log(
    `${perSecond} records a second; ${(bytes / 1e6).toFixed(0)} MB of the database, ${perRecord} bytes a record`,
  );
  const all: number[] = [];
  for (const text of TYPED) all.push(...(await timesOf(text)));
  all.sort((one, other) => one - other);
  for (const [name, part] of [
    ['median', 0.5],
    ['99th percentile', 0.99],
  ] as const) {
    const value = all[Math.min(all.length - 1, Math.floor(part * all.length))] ?? 0;
    figures.push({ name: `completions of all texts, ${name}`, ours: `${value.toFixed(1)} ms`, limit: MAX_MS, value });
  }
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
report(`An authority list of ${RECORDS} records`, figures);

/** Returns the milliseconds of each round of a completion, and reports its slowest. */
async function timesOf(text: string): Promise<number[]> {
  const headers = { Authorization: basic('admin') };
  const path = `entity/completions/node/islandora_object/field_linked_agent?q=${encodeURIComponent(text)}`;
  const spent: number[] = [];
  let count = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    const response = await fetch(`${server.url}/${path}`, { headers });
    const { authorities } = (await response.json()) as { authorities: unknown[] };
    spent.push(performance.now() - startedAt);
    count = authorities.length;
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
  }
  spent.sort((one, other) => one - other);
  const value = spent[Math.floor(ROUNDS / 2)] ?? 0;
  figures.push({
    ...{ name: `completions of "${text}" (${count}), median`, ours: `${value.toFixed(1)} ms`, limit: MAX_MS, value },
  });
  return spent;
}

/** Writes records with a heading, dates and one other name each. */
async function writeNames(path: string): Promise<void> {
  const random = createRandom(7);
  const zip = createGzip({ level: 1 });
  const done = once(zip.pipe(createWriteStream(path)), 'close');
  const word = () => {
    const parts = Array.from({ length: 2 + random.below(2) }, () => random.pick(SYLLABLES)).join('');
    return parts.charAt(0).toUpperCase() + parts.slice(1);
  };
  for (let index = 0; index < RECORDS; index++) {
    const uri = `<http://id.loc.gov/authorities/names/n${index}>`;
    const surname = random.below(10) === 0 ? random.pick(FREQUENT) : word();
    const [first, second, born] = [word(), word(), 1500 + random.below(500)];
    const lines =
      `${uri} <${SKOS}prefLabel> "${surname}, ${first} ${second}, ${born}-${born + 70}"@en .\n` +
      `${uri} <${SKOS}altLabel> "${surname}, ${first.charAt(0)}. ${word()}" .\n`;
    if (!zip.write(lines)) await once(zip, 'drain');
  }
  zip.end();
  await done;
}
