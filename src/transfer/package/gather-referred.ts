import { query } from '../../database/query-builder.ts';
import { users } from '../../database/schema/users.ts';
import { isAmong } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { Services } from '../../repository/content/services.ts';
import type { PackageFile } from '../files/package.ts';
import { jsonFile } from '../files/package.ts';
import type { LoadContext } from '../table/table-options.ts';
import { documentJson, historyOf, referredIn, type State } from './history.ts';
import { documentPath } from './package-layout.ts';
import { readContent } from './read-content.ts';

/** The terms and paragraphs that a package holds because its content refers to them. */
export interface ReferredEntities {
  readonly terms: ReadonlyMap<number, PackedTerm>;
  /** The revisions of paragraphs, oldest first, by the ids of the paragraphs. */
  readonly paragraphs: ReadonlyMap<number, readonly State[]>;
  /** The ids of paragraphs that do not exist. */
  readonly lostParagraphs: readonly number[];
}

/** Returns the terms and paragraphs that states refer to, directly or indirectly. */
export async function gatherReferred(context: LoadContext, states: readonly State[]): Promise<ReferredEntities> {
  const paragraphs = new Map<number, readonly State[]>();
  const asked = new Set<number>();
  const lostParagraphs: number[] = [];
  for (;;) {
    const all = [...states, ...[...paragraphs.values()].flat()];
    const terms = await gatherTerms(context, idsOf(all, 'taxonomy_term'));
    const named = [...idsOf(all, 'paragraph'), ...[...terms.values()].flatMap((term) => [...term.paragraphs])];
    const missing = [...new Set(named)].filter((id) => !asked.has(id));
    if (missing.length === 0) return { terms, paragraphs, lostParagraphs };
    for (const id of missing) asked.add(id);
    const contents = await readContent(context, 'paragraph', missing);
    const isThere = new Set(contents.map(({ head }) => head.id));
    lostParagraphs.push(...missing.filter((id) => !isThere.has(id)));
    for (const content of contents)
      if (content.kind.access.view(context.actor, content.head).isAllowed)
        paragraphs.set(content.head.id, await historyOf(context, content));
  }
}

/** Returns the ids of one type that states refer to. */
export function idsOf(states: readonly State[], type: keyof State['refersTo']): Set<number> {
  return new Set(states.flatMap(({ refersTo }) => [...refersTo[type]]));
}

/** A term in a package. */
interface PackedTerm {
  readonly path: string;
  readonly file: PackageFile;
  /** The terms that it refers to, such as its parents. */
  readonly terms: ReadonlySet<number>;
  readonly files: ReadonlySet<number>;
  readonly users: ReadonlySet<number>;
  readonly paragraphs: ReadonlySet<number>;
}

/** Returns terms by their ids, with the terms that they refer to, directly or indirectly. */
async function gatherTerms(context: LoadContext, wanted: Iterable<number>): Promise<ReadonlyMap<number, PackedTerm>> {
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

/** Returns the ids of terms and of the terms that they refer to, directly or indirectly. */
export function withReferredTerms(terms: ReadonlyMap<number, PackedTerm>, ids: Iterable<number>): Set<number> {
  const whole = new Set(ids);
  // The loop also visits the ids that it adds.
  for (const id of whole) for (const above of terms.get(id)?.terms ?? []) whole.add(above);
  return whole;
}

/** A user in a package. It holds no other data of the account. */
export interface PackedUser {
  readonly name: string;
  readonly uuid: string;
  readonly path: string;
  readonly file: PackageFile;
}

const findUsers = prepare(({ ids }: Named<{ ids: string }>) =>
  query.select({ id: users.id, uuid: users.uuid, name: users.name }).from(users).where(isAmong(users.id, ids)),
);

/** Returns users by their ids. */
export async function gatherUsers(
  { database }: Services,
  ids: Iterable<number>,
): Promise<ReadonlyMap<number, PackedUser>> {
  const rows = await database.all(findUsers({ ids: JSON.stringify([...new Set(ids)]) }));
  return new Map(
    rows.map(({ id, uuid, name }) => {
      const file = jsonFile({ uuid: [{ value: uuid }], name: [{ value: name }] });
      return [id, { name, uuid, path: documentPath('user', uuid), file }];
    }),
  );
}
