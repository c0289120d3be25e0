import { and, eq, exists, type SQLWrapper, sql } from 'drizzle-orm';
import type { JsonObject } from '../../base/json.ts';
import { failedGuard } from '../../database/errors.ts';
import { query } from '../../database/query-builder.ts';
import { terms } from '../../database/schema/content.ts';
import { settings } from '../../database/schema/system.ts';
import { failIf } from '../../database/sql.ts';
import { type Named, prepare } from '../../database/statement.ts';
import type { Vocabulary } from '../../model/content-model.ts';
import type { DefaultTerm } from '../../model/default-term.ts';
import type { Actor } from '../actor.ts';
import { foldLabel } from '../content/content.ts';
import { asSubmitted } from '../content/fill/check-values.ts';
import type { ContentKind } from '../content/kinds.ts';
import type { Services } from '../content/services.ts';
import { createContent } from '../content/write/save-content.ts';

/** Maximum number of concurrent writes. */
const GROUP_SIZE = 100;

/**
 * Creates the initial terms of each vocabulary once: terms that are removed or renamed later do not return. Returns the
 * number of created terms. Skips existing terms of an interrupted start or of another process.
 */
export async function seedTerms(services: Services, actor: Actor, kind: ContentKind): Promise<number> {
  let made = 0;
  for (const vocabulary of services.model.vocabularies.values()) {
    if (await services.database.get(findSeeded({ name: settingOf(vocabulary) }))) continue;
    made += await seed(services, actor, kind, vocabulary);
    await services.database.write({ seeded: recordSeeded({ name: settingOf(vocabulary) }) });
  }
  return made;
}

/** Returns the name of the setting that records that a vocabulary has its terms. */
const settingOf = ({ name }: Vocabulary) => `seeded.${name}`;

const seededBy = (name: SQLWrapper) =>
  query.select({ name: settings.name }).from(settings).where(eq(settings.name, name));
const findSeeded = prepare(({ name }: Named<{ name: string }>) => seededBy(name));
const recordSeeded = prepare(({ name }: Named<{ name: string }>) =>
  query
    .insert(settings)
    .values({ name, value: '1' })
    .onConflictDoUpdate({ target: settings.name, set: { value: '1' } }),
);

type TermName = { readonly vocabulary: string; readonly name: string; readonly folded: string };

/** Finds the terms of a name. The folded name is indexed. */
const termsNamed = ({ vocabulary, name, folded }: Named<TermName>) =>
  query
    .select({ id: terms.id })
    .from(terms)
    .where(and(eq(terms.bundle, vocabulary), eq(terms.foldedLabel, folded), eq(terms.label, name)));
const findTerm = prepare((term: Named<TermName>) => termsNamed(term).limit(1));
const refuseMade = prepare((term: Named<TermName & { readonly setting: string }>) =>
  failIf('taken', sql`${exists(termsNamed(term))} OR ${exists(seededBy(term.setting))}`),
);

const nameOf = (vocabulary: Vocabulary, name: string): TermName => ({
  vocabulary: vocabulary.name,
  name,
  folded: foldLabel(name),
});

/** Creates the terms of a vocabulary, parents before children. */
async function seed(services: Services, actor: Actor, kind: ContentKind, vocabulary: Vocabulary): Promise<number> {
  const ids = new Map<string, number>();
  let made = 0;
  let waiting = vocabulary.terms;
  while (waiting.length > 0) {
    const ready = waiting.filter(({ parent }) => parent === undefined || ids.has(parent)).slice(0, GROUP_SIZE);
    // The parent of the others was removed after another process created it.
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
    // Hundreds of terms use more memory than serving ever needs; free it now.
    if (ready.length === GROUP_SIZE) Bun.gc(true);
  }
  return made;
}

/** Creates a term and returns its id; undefined if another process has created it or its vocabulary. */
async function make(
  services: Services,
  actor: Actor,
  kind: ContentKind,
  vocabulary: Vocabulary,
  term: DefaultTerm,
  ids: ReadonlyMap<string, number>,
): Promise<number | undefined> {
  const values = asSubmitted({ kind, bundle: vocabulary }, valuesOf(vocabulary, term, ids), services.fields.types);
  const unlessMade = refuseMade({ ...nameOf(vocabulary, term.name), setting: settingOf(vocabulary) });
  try {
    return (await createContent(services, actor, kind, vocabulary, values, { before: [unlessMade] })).head.id;
  } catch (error) {
    if (failedGuard(error) !== 'guard_taken') throw error;
    return undefined;
  }
}

async function findByName({ database }: Services, vocabulary: Vocabulary, name: string): Promise<number | undefined> {
  return (await database.get(findTerm(nameOf(vocabulary, name))))?.id;
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
