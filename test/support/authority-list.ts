import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadList } from '../../src/authorities/load/load-list.ts';
import { emptyFolder } from './empty-folder.ts';
import type { TestRepository } from './test-repository.ts';

const LABEL = 'http://www.w3.org/2004/02/skos/core#prefLabel';

type Options = Partial<Parameters<typeof loadList>[1]>;

/** Loads an authority list from a file. */
export function loadAuthority({ running }: Pick<TestRepository, 'running'>, path: string, options: Options = {}) {
  const { signal } = new AbortController();
  return loadList(running.services, { path, signal, onProgress() {}, onBroken() {}, ...options });
}

/** Loads a list of records with some names, whose URIs are `uriOf(0)` and so on. */
export async function loadNames(repository: TestRepository, names: readonly string[], options: Options = {}) {
  const path = join(await emptyFolder(), 'some.nt');
  await writeFile(
    path,
    names.map((name, index) => `<${uriOf(index)}> <${LABEL}> ${JSON.stringify(name)} .`).join('\n'),
  );
  return loadAuthority(repository, path, options);
}

/** Returns the URI of a record of `loadNames`. */
export function uriOf(index: number): string {
  return `http://id.loc.gov/authorities/subjects/sh${index}`;
}
