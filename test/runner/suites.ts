import { join } from 'node:path';

/** The root of the checkout: the names of test files are relative to it. */
export const ROOT = join(import.meta.dir, '../..');

/** A group of test files that run in the same way. */
export interface Suite {
  readonly name: string;
  /** Folders and files below `test`. */
  readonly places: readonly string[];
  /** The number of processes at once for each core. Tests wait, too: for children, disks and retries. */
  readonly processesPerCore: number;
  /** Flags of `bun test`. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A process that starts hundreds of repositories spends a third of its time on forced garbage collections. */
const QUICK_FLAGS = ['--preload', './test/support/without-collecting.ts'];

const ON_SQLD = { processesPerCore: 1.5, flags: QUICK_FLAGS, env: { REPO_TEST_DATABASE: 'sqld' } };

export const SUITES: readonly Suite[] = [
  { name: 'e2e', places: ['e2e'], processesPerCore: 1.5 },
  { name: 'browser', places: ['browser'], processesPerCore: 1.5 },
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
    processesPerCore: 2,
    flags: QUICK_FLAGS,
  },
];

/** Test files to run, as those of their suite. */
export interface Run {
  readonly suite: Suite;
  readonly files: readonly string[];
}

export function isSuite(name: string): boolean {
  return SUITES.some((suite) => suite.name === name);
}

/** Returns the run of a suite by its name, or of one file or folder by its path. Throws if there is no such test. */
export function runOf(name: string): Run {
  const named = SUITES.find((suite) => suite.name === name);
  if (named !== undefined) return { suite: named, files: named.places.flatMap((place) => filesIn(`test/${place}`)) };
  const path = name.replace(/\/$/, '');
  const suite = SUITES.findLast(({ places }) => places.some((place) => path.startsWith(`test/${place}`)));
  if (suite !== undefined) return { suite, files: filesIn(path) };
  const suites = SUITES.map((each) => each.name).join(', ');
  throw new Error(`no tests are called ${name}: give a path such as test/http/search, or one of ${suites}`);
}

/** Returns the test files of a folder, or the one file, sorted by name. Throws if there are none. */
function filesIn(path: string): string[] {
  const pattern = path.endsWith('.ts') ? path : `${path}/**/*.test.ts`;
  const files = [...new Bun.Glob(pattern).scanSync(ROOT)].sort();
  if (files.length === 0) throw new Error(`${path} has no test files`);
  return files;
}
