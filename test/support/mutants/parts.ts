/** A part of the program, with the tests that have to notice a change of it. */
export interface Part {
  readonly name: string;
  /** Folders of `src`. */
  readonly sources: readonly string[];
  /** Files and folders of `test`, the quickest first. The unit tests that mirror a changed file run before them. */
  readonly tests: readonly string[];
}

/** Pages whose tests are in a folder of their own, by their folder in `src/pages`. */
const TESTS_OF_PAGES: Readonly<Record<string, readonly string[]>> = {
  account: ['unit/pages/account', 'http/pages', 'http/repository/sessions.test.ts', 'http/repository/tokens.test.ts'],
  cite: ['unit/pages/cite', 'http/pages/cite.test.ts'],
  edit: [
    ...['content-form', 'completions', 'preview', 'preview-new-terms', 'vocabularies'].map(
      (name) => `http/pages/${name}.test.ts`,
    ),
    'http/pages',
  ],
  imports: ['http/transfer/table-uploads', 'http/transfer/import'],
  manage: ['http/manage'],
  order: ['http/order'],
  search: ['unit/pages/search', 'http/search/search-page.test.ts', 'http/search'],
  upload: ['http/uploads', 'http/pages'],
};

export const PARTS: readonly Part[] = [
  {
    name: 'search',
    sources: ['search', 'repository/search', 'api/search'],
    tests: ['unit/search', 'contract/search.test.ts', 'http/search'],
  },
  {
    name: 'bulk',
    sources: ['bulk'],
    tests: ['unit/bulk', 'http/manage', 'http/order'],
  },
  {
    name: 'runs',
    sources: ['runs'],
    tests: [
      'unit/runs',
      'http/manage/interrupted-changes.test.ts',
      'http/upkeep/fixity',
      'e2e/bulk-taken-over.test.ts',
    ],
  },
  {
    name: 'harvest',
    sources: ['harvest', 'api/harvest'],
    tests: ['unit/harvest', 'http/harvest'],
  },
  {
    name: 'iiif',
    sources: ['iiif', 'api/iiif'],
    tests: ['unit/iiif', 'http/iiif', 'http/repository/image-size.test.ts'],
  },
  {
    name: 'pages',
    sources: ['pages'],
    tests: ['unit/pages', 'http/pages'],
  },
];

/** Returns the tests of a file of a part, as paths within `test`. */
export function testsOf(part: Part, file: string): readonly string[] {
  const folder = /^src\/pages\/([^/]+)\//.exec(file)?.[1];
  return (folder !== undefined && TESTS_OF_PAGES[folder]) || part.tests;
}
