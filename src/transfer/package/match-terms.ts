import { and, eq, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { query } from '../../database/query-builder.ts';
import { terms } from '../../database/schema/content.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { isText, nested } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import { foldLabel } from '../../repository/content/content.ts';
import type { Services } from '../../repository/content/services.ts';
import { firstValue, textsOf } from './document-facts.ts';
import type { ExistingEntities, ExistingEntity } from './existing.ts';
import type { PackedEntity } from './read-package.ts';

const namesake = alias(terms, 'n');

const findCandidates = prepare(({ uris, names }: Named<{ uris: string; names: string }>) => {
  const parents = query
    .select({ list: sql`json_group_array(${references.targetId})` })
    .from(references)
    .where(
      and(
        isText(references.sourceType, 'taxonomy_term'),
        eq(references.sourceId, terms.id),
        isText(references.field, 'parent'),
      ),
    );
  const ownUris = query
    .select({ list: sql`json_group_array(${termUris.uri})` })
    .from(termUris)
    .where(eq(termUris.termId, terms.id));
  const byUri = sql`SELECT ${termUris.termId} FROM json_each(${uris}) j JOIN ${termUris} ON ${termUris.uri} = j.value`;
  const byName = sql`SELECT ${namesake.id} FROM json_each(${names}) j
    JOIN ${terms} ${namesake} ON ${namesake.bundle} = j.value ->> 0 AND ${namesake.foldedLabel} = j.value ->> 1`;
  return query
    .select({
      id: terms.id,
      uuid: terms.uuid,
      bundle: terms.bundle,
      label: terms.foldedLabel,
      parents: nested(sql<string>`${parents}`),
      uris: nested(sql<string>`${ownUris}`),
    })
    .from(terms)
    .where(sql`${terms.id} IN (${byUri}) OR ${terms.id} IN (${byName})`)
    .orderBy(terms.id);
});

interface Candidate extends ExistingEntity {
  readonly label: string | null;
  readonly parents: readonly number[];
  readonly uris: readonly string[];
}

/**
 * Finds the terms of a package that the repository has under another UUID, and adds them: terms of the same vocabulary
 * with the same URI; otherwise terms with the same name and parents, unless both have URIs. Never matches two terms of a
 * package with one term.
 */
export async function matchTerms(
  services: Services,
  packed: readonly PackedEntity[],
  existing: ExistingEntities,
): Promise<void> {
  const open = packed.filter(({ uuid }) => existing.get('taxonomy_term', uuid) === undefined).map(describe);
  if (open.length === 0) return;
  const candidates = await candidatesOf(services, open);
  const taken = new Set(packed.flatMap(({ uuid }) => existing.get('taxonomy_term', uuid)?.id ?? []));
  const accept = (term: UnmatchedTerm, match: Candidate | undefined) => {
    if (match === undefined) return false;
    taken.add(match.id);
    existing.set(term.uuid, match);
    return true;
  };
  const free = ({ bundle }: UnmatchedTerm) =>
    candidates.filter((each) => each.bundle === bundle && !taken.has(each.id));
  let named = open.filter(
    (term) =>
      !accept(
        term,
        free(term).find(({ uris }) => term.uris.some((uri) => uris.includes(uri))),
      ),
  );
  // A match of a parent may allow matches of its children.
  for (let count = -1; count !== named.length; ) {
    count = named.length;
    named = named.filter(
      (term) =>
        !accept(
          term,
          free(term).find((each) => isSame(term, each, existing)),
        ),
    );
  }
}

interface UnmatchedTerm {
  readonly uuid: string;
  readonly bundle: string;
  readonly label: string;
  readonly uris: readonly string[];
  readonly parents: readonly string[];
}

function describe({ uuid, revisions: [document] }: PackedEntity): UnmatchedTerm {
  return {
    uuid,
    bundle: textsOf(document, 'vid', 'target_id')[0] ?? '',
    label: foldLabel(String(firstValue(document, 'name') ?? '')),
    uris: [...textsOf(document, 'field_external_uri', 'uri'), ...textsOf(document, 'field_authority_link', 'uri')],
    parents: textsOf(document, 'parent', 'target_uuid'),
  };
}

function isSame(term: UnmatchedTerm, candidate: Candidate, existing: ExistingEntities): boolean {
  if (candidate.label !== term.label || (term.uris.length > 0 && candidate.uris.length > 0)) return false;
  const parents = term.parents.map((uuid) => existing.get('taxonomy_term', uuid)?.id);
  return parents.length === candidate.parents.length && parents.every((id) => id && candidate.parents.includes(id));
}

async function candidatesOf({ database }: Services, wanted: readonly UnmatchedTerm[]): Promise<Candidate[]> {
  const uris = JSON.stringify(wanted.flatMap((term) => term.uris));
  const names = JSON.stringify(wanted.map(({ bundle, label }) => [bundle, label]));
  const rows = await database.all(findCandidates({ uris, names }));
  return rows.map((row) => ({
    ...row,
    type: 'taxonomy_term',
    sha256: undefined,
    parents: JSON.parse(row.parents),
    uris: JSON.parse(row.uris),
  }));
}
