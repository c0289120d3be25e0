import { XMLParser } from 'fast-xml-parser';

/** The tests of one file. */
export interface FileResult {
  tests: number;
  skipped: number;
  /** The full names of the tests that failed. */
  readonly failed: string[];
}

interface Element {
  readonly name: string;
  readonly file?: string;
  readonly testsuite?: readonly Element[];
  readonly testcase?: readonly Element[];
  readonly failure?: unknown;
  readonly error?: unknown;
  readonly skipped?: unknown;
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseAttributeValue: false,
  isArray: (name) => name === 'testsuite' || name === 'testcase',
});

/** Reads a JUnit report of `bun test`: the results by file. */
export function readReport(xml: string): Map<string, FileResult> {
  const results = new Map<string, FileResult>();
  const { testsuites } = parser.parse(xml) as { testsuites: Element | '' };
  if (testsuites === '') return results;
  for (const suite of testsuites.testsuite ?? []) {
    const result: FileResult = { tests: 0, skipped: 0, failed: [] };
    results.set(suite.file ?? suite.name, result);
    addTests(suite, [], result);
  }
  return results;
}

function addTests(suite: Element, path: readonly string[], result: FileResult): void {
  for (const test of suite.testcase ?? []) {
    result.tests += 1;
    if ('skipped' in test) result.skipped += 1;
    if ('failure' in test || 'error' in test) result.failed.push([...path, test.name].join(' > '));
  }
  for (const inner of suite.testsuite ?? []) addTests(inner, [...path, inner.name], result);
}
