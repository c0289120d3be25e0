import { and, eq, sql } from 'drizzle-orm';
import { ServiceError, unprocessable } from '../../base/errors.ts';
import type { Database } from '../../database/database.ts';
import { query } from '../../database/query-builder.ts';
import { terms } from '../../database/schema/content.ts';
import { redirects } from '../../database/schema/loading.ts';
import { mergedTerms, references, termUris } from '../../database/schema/references.ts';
import { pathAliases } from '../../database/schema/system.ts';
import { isText, requireOne } from '../../database/sql.ts';
import { type Named, prepare, type Statement, statementOf } from '../../database/statement.ts';
import { entityPath } from '../../paths.ts';
import type { Actor } from '../actor.ts';
import { type Content, open } from '../content/content.ts';
import type { SubmittedValues } from '../content/fill/check-values.ts';
import { circularParents, failIfCircular } from '../content/fill/term-hierarchy.ts';
import type { ContentKinds } from '../content/kinds.ts';
import type { FindContent } from '../content/read/find-content.ts';
import type { Services } from '../content/services.ts';
import { decideChange } from '../content/write/decide-content.ts';
import { clearTerms, writeOver } from '../content/write/save-content.ts';
import { failIfChanged, findMergedInto } from '../merged-terms.ts';
import { NO_QUERY, sourcePath } from '../redirect-source.ts';
import { retrying } from '../retrying.ts';
import { keptValues } from './kept-values.ts';
import { mergeRuns } from './merge-runs.ts';
import { requireAcceptance } from './require-acceptance.ts';

/** The status of a redirect from an address that will not come back. */
const STATUS_MOVED = 301;

/** The parts of the repository that a merge works with. */
export interface MergeParts {
  readonly services: Services;
  readonly kinds: ContentKinds;
  readonly findContent: FindContent;
}

/** Two terms: the references to one become references to the other. */
export interface TermReplacement {
  readonly from: number;
  readonly into: number;
  /** True if the first term stays, without references. */
  readonly keeps: boolean;
  /** Throws if the actor must not do this. `uris` are those of the first term. */
  readonly check: (from: Content, into: Content, uris: readonly string[]) => void;
}

/** The names of the terms of a replacement that has begun. */
export interface StartedReplacement {
  readonly label: string;
  readonly intoLabel: string;
}

/**
 * Merges a term into another one: its names become other names of that one, its addresses redirect, and every item shows the new
 * name at once. With `keeps`, only the references move. A run moves them, with one revision for each item. Throws `unprocessable`
 * for a term and itself or one below it, and `conflict` for a term that was merged already.
 */
export function replaceTerm(
  parts: MergeParts,
  actor: Actor,
  { from: fromId, into: intoId, keeps, check }: TermReplacement,
): Promise<StartedReplacement> {
  const { services, kinds } = parts;
  const { database } = services;
  return retrying(clearTerms(services), async () => {
    if (fromId === intoId) throw unprocessable('A term cannot replace itself.');
    const from = await existing(parts, fromId);
    const into = await existing(parts, intoId);
    const uris = (await database.all(urisOf({ id: fromId }))).map(({ uri }) => uri);
    check(from, into, keeps ? [] : uris);
    if ((await circularParents(database, fromId, [intoId])).length > 0)
      throw unprocessable('A term cannot be replaced by one below it. Move that one first, or merge it into this one.');
    await requireAcceptance(database, kinds, from, into);
    const [label, intoLabel] = [open(from).draft.label, open(into).draft.label];
    const about = { from: fromId, into: intoId, label, intoLabel, keeps };
    const begun = mergeRuns.add({ about, userId: actor.id });
    const same = failIfChanged({ id: intoId, version: into.head.version });
    if (keeps) await database.write([same, failIfChanged({ id: fromId, version: from.head.version }), begun]);
    else {
      const kept = keptValues(services, from, into);
      requireConfigured(services, uris, into, kept);
      const merging = [...(await mergeStatements(database, actor, from, into, services.now())), begun];
      const decided = await decideChange(services, actor, into, kept);
      if (decided === undefined) await database.write([same, ...merging]);
      else await writeOver(services, into, decided.stored.draft, decided, { before: merging });
    }
    services.merges.wake();
    return { label, intoLabel };
  });
}

/** Returns a term. Throws `conflict` if it was merged into another one, and `not-found` if it does not exist. */
async function existing({ services, findContent }: MergeParts, id: number): Promise<Content> {
  const term = await findContent('taxonomy_term', id);
  if (term !== undefined) return term;
  const into = await findMergedInto(services.database, id);
  if (into !== undefined) throw new ServiceError('conflict', `The term ${id} was merged into the term ${into}.`);
  throw unprocessable(`The term ${id} does not exist.`);
}

/** Throws `unprocessable` if the configuration refers to a URI of the merged term that the other one does not get. */
function requireConfigured(
  { configuredUris }: Pick<Services, 'configuredUris'>,
  uris: readonly string[],
  into: Content,
  kept: SubmittedValues,
): void {
  const { values } = open(into);
  const left = [...Object.entries(values), ...kept].flatMap(([, items]) => items.map(({ uri }) => uri));
  const lost = uris.find((uri) => configuredUris.has(uri) && !left.includes(uri));
  if (lost !== undefined)
    throw unprocessable(
      `The configuration refers to the term by ${lost}, for which the other term has no room. Merge the other one into this one.`,
    );
}

const urisOf = prepare(({ id }: Named<{ id: number }>) =>
  query.select({ uri: termUris.uri }).from(termUris).where(eq(termUris.termId, id)),
);
const aliasesOf = prepare(({ path }: Named<{ path: string }>) =>
  query
    .select({ alias: pathAliases.alias, langcode: pathAliases.langcode })
    .from(pathAliases)
    .where(eq(pathAliases.path, path)),
);

/** A folded name of null keeps a term out of lists, completions and lookups by name. */
const standIn = prepare(
  ({ id, version, label, status }: Named<{ id: number; version: number; label: string; status: boolean }>) =>
    query
      .update(terms)
      .set({
        ...{
          label: sql`${label}`,
          status: sql`${status}`,
          foldedLabel: null,
          sortLabel: null,
          alias: null,
          aliasId: null,
        },
        ...{ isDangling: true, version: sql`${terms.version} + 1` },
        document: sql`json_set(${terms.document}, '$.name[0].value', ${label})`,
      })
      .where(and(eq(terms.id, id), eq(terms.version, version))),
);
const removeUris = prepare(({ id }: Named<{ id: number }>) => query.delete(termUris).where(eq(termUris.termId, id)));
const removeReferences = prepare(({ id }: Named<{ id: number }>) =>
  query.delete(references).where(and(isText(references.sourceType, 'taxonomy_term'), eq(references.sourceId, id))),
);
const removeAliases = prepare(({ path }: Named<{ path: string }>) =>
  query.delete(pathAliases).where(eq(pathAliases.path, path)),
);
const follow = prepare(({ id, intoId }: Named<{ id: number; intoId: number }>) =>
  query
    .update(mergedTerms)
    .set({ intoId: sql`${intoId}` })
    .where(eq(mergedTerms.intoId, id)),
);
const addMerged = prepare(({ id, intoId }: Named<{ id: number; intoId: number }>) =>
  query.insert(mergedTerms).values({ id, intoId }),
);

/** Returns the statements that make the row of a term stand in for another one, whose address its own redirect to. */
async function mergeStatements(
  database: Database,
  { id: ownerId }: Actor,
  from: Content,
  into: Content,
  created: number,
): Promise<Statement[]> {
  const { id, version } = from.head;
  const { id: intoId, status } = into.head;
  const path = entityPath.taxonomy_term(id);
  const aliases = await database.all(aliasesOf({ path }));
  const moved = aliases.map(({ alias, langcode }) =>
    statementOf(
      query
        .insert(redirects)
        .values({
          ...{ uuid: Bun.randomUUIDv7(), sourcePath: sourcePath(alias), sourceQuery: NO_QUERY },
          ...{ targetUri: `entity:taxonomy_term/${intoId}`, statusCode: STATUS_MOVED, langcode, ownerId, created },
        })
        .onConflictDoNothing(),
    ),
  );
  return [
    standIn({ id, version, label: open(into).draft.label, status }),
    requireOne('stale'),
    // By the hierarchy at the commit.
    failIfCircular(id, [intoId]),
    removeUris({ id }),
    removeReferences({ id }),
    removeAliases({ path }),
    ...moved,
    follow({ id, intoId }),
    addMerged({ id, intoId }),
  ];
}
