import type { InStatement } from '@libsql/client';
import type { JsonObject } from '../../base/json.ts';
import { failedGuard } from '../../database/errors.ts';
import type { DefaultTerm, Vocabulary } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import { asSubmitted } from '../content/check-values.ts';
import { foldLabel } from '../content/fold-label.ts';
import type { ContentKind } from '../content/kinds.ts';
import { createContent } from '../content/save-content.ts';
import type { Services } from '../services.ts';

/** Writes that wait for the same commit. */
const GROUP_SIZE = 100;

/**
 * Makes the terms that each vocabulary starts with, once: what someone removes or renames afterwards does not
 * come back. Answers how many it made. What is there already, from a start that broke off or from another
 * process that starts at the same moment, is not made again.
 */
export async function seedTerms(services: Services, actor: Actor, kind: ContentKind): Promise<number> {
  let made = 0;
  for (const vocabulary of services.model.vocabularies.values()) {
    if (await isSeeded(services, vocabulary.name)) continue;
    made += await seed(services, actor, kind, vocabulary);
    await services.database.write([
      { sql: "INSERT OR REPLACE INTO setting (name, value) VALUES ('seeded.' || ?, '1')", args: [vocabulary.name] },
    ]);
  }
  return made;
}

async function isSeeded({ database }: Services, vocabulary: string): Promise<boolean> {
  const { rows } = await database.client.execute({
    sql: "SELECT 1 FROM setting WHERE name = 'seeded.' || ?",
    args: [vocabulary],
  });
  return rows.length > 0;
}

/** Those without a parent first, then level by level. */
async function seed(services: Services, actor: Actor, kind: ContentKind, vocabulary: Vocabulary): Promise<number> {
  const ids = new Map<string, number>();
  let made = 0;
  let waiting = vocabulary.terms;
  while (waiting.length > 0) {
    const ready = waiting.filter(({ parent }) => parent === undefined || ids.has(parent)).slice(0, GROUP_SIZE);
    // The rest hangs on a term that another process made and someone has removed since.
    if (ready.length === 0) break;
    await Promise.all(
      ready.map(async (term) => {
        const present = await findByName(services, vocabulary, term.name);
        const id = present ?? (await make(services, actor, kind, vocabulary, term, ids));
        if (present === undefined && id !== undefined) made += 1;
        const known = id ?? (await findByName(services, vocabulary, term.name));
        if (known !== undefined) ids.set(term.name, known);
      }),
    );
    const done = new Set(ready);
    waiting = waiting.filter((term) => !done.has(term));
    // Hundreds of terms at once leave more behind than serving ever needs, and the collector is in no hurry.
    if (ready.length === GROUP_SIZE) Bun.gc(true);
  }
  return made;
}

/** Makes a term and answers its id; undefined if another process has made it, or all of the vocabulary, meanwhile. */
async function make(
  services: Services,
  actor: Actor,
  kind: ContentKind,
  vocabulary: Vocabulary,
  term: DefaultTerm,
  ids: ReadonlyMap<string, number>,
): Promise<number | undefined> {
  const values = asSubmitted({ kind, bundle: vocabulary }, valuesOf(vocabulary, term, ids));
  const unlessMade: InStatement = {
    sql: `INSERT INTO guard (taken) SELECT 1 WHERE EXISTS (${BY_NAME})
      OR EXISTS (SELECT 1 FROM setting WHERE name = 'seeded.' || ?1)`,
    args: [vocabulary.name, term.name, foldLabel(term.name)],
  };
  try {
    return (await createContent(services, actor, kind, vocabulary, values, { before: [unlessMade] })).head.id;
  } catch (error) {
    if (failedGuard(error) !== 'guard_taken') throw error;
    return undefined;
  }
}

/** `?1` vocabulary, `?2` name, `?3` the name as it is looked up by: the comparison that the index answers. */
const BY_NAME = 'SELECT id FROM taxonomy_term WHERE bundle = ?1 AND folded_label = ?3 AND label = ?2';

async function findByName({ database }: Services, vocabulary: Vocabulary, name: string): Promise<number | undefined> {
  const { rows } = await database.client.execute({
    sql: `${BY_NAME} LIMIT 1`,
    args: [vocabulary.name, name, foldLabel(name)],
  });
  return rows[0] === undefined ? undefined : Number(rows[0][0]);
}

function valuesOf(vocabulary: Vocabulary, term: DefaultTerm, ids: ReadonlyMap<string, number>): JsonObject {
  const { name, description, parent, code, uri, source } = term;
  const link = { uri: uri ?? '', title: '' };
  return {
    name: [{ value: name }],
    description: description === undefined ? [] : [{ value: description, format: 'plain_text' }],
    parent: parent === undefined ? [] : [{ target_id: ids.get(parent) as number }],
    ...(code !== undefined && { field_code: [{ value: code }] }),
    ...(uri !== undefined && vocabulary.uriField === 'field_external_uri' && { field_external_uri: [link] }),
    ...(uri !== undefined &&
      vocabulary.uriField === 'field_authority_link' && {
        field_authority_link: [{ ...link, source: source ?? 'other' }],
      }),
  };
}
