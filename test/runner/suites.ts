import { join } from 'node:path';

/** The root of the checkout: the names of test files are relative to it. */
export const ROOT = join(import.meta.dir, '../..');

/** A group of test files that run in the same way. */
export interface Suite {
  readonly name: string;
  /** Folders and files below `test`. */
  readonly places: readonly string[];
  /** Flags of `bun test`. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A process that starts hundreds of repositories spends a third of its time on forced garbage collections. */
const QUICK_FLAGS = ['--preload', './test/support/without-collecting.ts'];

const ON_SQLD = { flags: QUICK_FLAGS, env: { REPO_TEST_DATABASE: 'sqld' } };

export const SUITES: readonly Suite[] = [
  { name: 'e2e', places: ['e2e'] },
  { name: 'browser', places: ['browser'] },
  {
    ...ON_SQLD,
    name: 'sqld',
    places: ['http/repository', 'http/all', 'http/harvest', 'http/search', 'http/workbench'],
  },
  {
    ...ON_SQLD,
    name: 'sqld-small',
    // Reading, writing, lists, uploads, sign-in and search: each kind of statement once.
    places: [
      ...['changing-content', 'nodes', 'entity-lists', 'put-media', 'sessions', 'revisions', 'file-access'].map(
        (name) => `http/repository/${name}.test.ts`,
      ),
      ...['search/search-access', 'search/build-index', 'workbench/create'].map((name) => `http/${name}.test.ts`),
    ],
  },
  {
    name: 'test',
    places: ['binary', 'contract', 'docs', 'http', 'unit'],
    flags: QUICK_FLAGS,
  },
];

/** Returns the test files of a suite, sorted by name. Throws if a place has none. */
export function filesOf({ name, places }: Suite): string[] {
  return places.flatMap((place) => {
    const pattern = place.endsWith('.ts') ? `test/${place}` : `test/${place}/**/*.test.ts`;
    const files = [...new Bun.Glob(pattern).scanSync(ROOT)].sort();
    if (files.length === 0) throw new Error(`suite ${name}: test/${place} has no test files`);
    return files;
  });
}

/** Returns the flags with which a file or folder named by its path runs. */
export function flagsFor(path: string): readonly string[] {
  const suite = SUITES.findLast(({ places }) => places.some((place) => path.startsWith(`test/${place}`)));
  return suite?.flags ?? [];
}
