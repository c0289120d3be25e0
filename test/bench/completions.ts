import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { copyTerm } from '../support/copied-terms.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { startServer } from '../support/server-process.ts';
import { basic, type EntityJson } from '../support/test-repository.ts';
import { type Figure, report } from './report.ts';

/** The completions of a reference to a vocabulary of very many terms, for texts that are typed letter by letter. */

const TERMS = 100_000;
const ROUNDS = 5;
const MAX_MS = 30;
/** The beginnings of all names, of a few, of one, and parts within names, of which the last one is in none. */
const TYPED = ['a', 'arch', 'archive of the harbour 99', 'archive of the harbour 77777', 'harb', '4242', 'zeppelin'];

const folder = await emptyFolder();
const figures: Figure[] = [];
const data = join(folder, 'data');
const server = await startServer({ mode: 'repository', data });
try {
  const headers = { Authorization: basic('admin'), 'Content-Type': 'application/json' };
  const body = JSON.stringify({ vid: 'subject', name: [{ value: 'Archive of the harbour' }] });
  const made = await fetch(`${server.url}/taxonomy/term?_format=json`, { method: 'POST', headers, body });
  const term = ((await made.json()) as EntityJson).tid[0].value as number;
  copyTerm(join(data, 'repository.db'), term, TERMS, 'Archive of the harbour');
  for (const text of TYPED) {
    const spent: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const startedAt = performance.now();
      const path = `entity/completions/node/islandora_object/field_subject?q=${encodeURIComponent(text)}`;
      const response = await fetch(`${server.url}/${path}`, { headers });
      await response.arrayBuffer();
      spent.push(performance.now() - startedAt);
      if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    }
    const value = Math.max(...spent);
    figures.push({ name: `completions of "${text}", slowest`, ours: `${value.toFixed(1)} ms`, limit: MAX_MS, value });
  }
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
report(`A vocabulary of ${TERMS} terms`, figures);
