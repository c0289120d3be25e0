import type { PackageFile } from '../files/package.ts';
import type { LoadContext } from '../table/table-options.ts';
import { documentJson, referredIn } from './history.ts';
import { jsonFile } from './json-file.ts';
import { documentPath } from './package-layout.ts';
import { readContent } from './read-content.ts';

/** A term as a package holds it. */
export interface PackedTerm {
  readonly path: string;
  readonly file: PackageFile;
  /** Those that it refers to itself: its parents, and others. */
  readonly terms: ReadonlySet<number>;
  readonly files: ReadonlySet<number>;
  readonly users: ReadonlySet<number>;
  readonly paragraphs: ReadonlySet<number>;
}

/** Terms by their ids, and all that they refer to, such as those above them. */
export async function gatherTerms(
  context: LoadContext,
  wanted: Iterable<number>,
): Promise<ReadonlyMap<number, PackedTerm>> {
  const terms = new Map<number, PackedTerm>();
  let missing = [...new Set(wanted)];
  while (missing.length > 0) {
    for (const content of await readContent(context, 'taxonomy_term', missing)) {
      const document = documentJson(content, context);
      const path = documentPath('taxonomy_term', String((document.uuid as [{ value: string }])[0].value));
      const { taxonomy_term, file, user, paragraph } = referredIn(document);
      const refersTo = { terms: taxonomy_term, files: file, users: user, paragraphs: paragraph };
      terms.set(content.head.id, { path, file: jsonFile(document), ...refersTo });
    }
    const asked = new Set(missing);
    const next = [...terms.values()].flatMap((term) => [...term.terms]);
    missing = [...new Set(next)].filter((id) => !terms.has(id) && !asked.has(id));
  }
  return terms;
}

/** These terms and all that they refer to. */
export function withAbove(terms: ReadonlyMap<number, PackedTerm>, ids: Iterable<number>): Set<number> {
  const whole = new Set(ids);
  // A set is walked through to what is added on the way.
  for (const id of whole) for (const above of terms.get(id)?.terms ?? []) whole.add(above);
  return whole;
}
