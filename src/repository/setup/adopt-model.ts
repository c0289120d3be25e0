import { and, count, eq, exists, inArray, isNotNull, or, type SQLWrapper, sql } from 'drizzle-orm';
import { query } from '../../database/query-builder.ts';
import { contentTables, media, revisionTables } from '../../database/schema/content.ts';
import { references, termUris } from '../../database/schema/references.ts';
import { settings } from '../../database/schema/system.ts';
import { users } from '../../database/schema/users.ts';
import { type Statement, statementOf } from '../../database/statement.ts';
import type { Bundle, ContentModel } from '../../model/content-model.ts';
import type { ContentType } from '../access-rule.ts';
import type { Services } from '../content/services.ts';

const SETTING = 'content_model';

/** The model under which the stored values were written: bundle to field to type. */
interface StoredModel {
  readonly fingerprint: string;
  readonly fields: Record<string, Record<string, string>>;
}

/** A model that would lose stored values. The message lists each field with the number of its entities. */
export class ModelConflictError extends Error {
  override readonly name = 'ModelConflictError';
}

/**
 * Adopts a content model. Returns true if it has changed. Throws `ModelConflictError` if the model lacks a bundle or
 * field that still has values, also in previous revisions, or gives the field another type. With `dropsFields`, removes
 * the values of such fields permanently; content of a missing bundle is inaccessible until the bundle returns.
 */
export async function adoptModel(services: Services, dropsFields: boolean): Promise<boolean> {
  const stored = await readStoredModel(services);
  const { fingerprint } = services.model;
  if (stored?.fingerprint === fingerprint) return false;
  const fields = fieldsOf(services.model);
  const lost = stored === undefined ? [] : await findLost(services, stored.fields, fields);
  if (lost.length > 0 && !dropsFields) throw conflict(lost);
  const outOfReach = lost.flatMap(({ key, field }) => (field === undefined ? [[key, stored?.fields[key] ?? {}]] : []));
  // A bundle that returns has its values again, so their fields are recorded.
  const next: StoredModel = { fingerprint, fields: { ...Object.fromEntries(outOfReach), ...fields } };
  const value = JSON.stringify(next);
  await services.database.write({
    dropped: lost.flatMap(({ field, ...rest }) => (field === undefined ? [] : dropField({ ...rest, field }))),
    // The column depends on the source field, and on dropped fields.
    unlinked: statementOf(query.update(media).set({ linked: null }).where(isNotNull(media.linked))),
    adopted: statementOf(
      query
        .insert(settings)
        .values({ name: SETTING, value })
        .onConflictDoUpdate({ target: settings.name, set: { value } }),
    ),
  });
  return true;
}

async function readStoredModel({ database }: Services): Promise<StoredModel | undefined> {
  const stored = await database.get(statementOf(query.select().from(settings).where(eq(settings.name, SETTING))));
  return stored && (JSON.parse(stored.value) as StoredModel);
}

function fieldsOf(model: ContentModel): StoredModel['fields'] {
  const { nodeTypes, mediaTypes, vocabularies, paragraphTypes, userBundle } = model;
  const bundles: Bundle[] = [nodeTypes, mediaTypes, vocabularies, paragraphTypes].flatMap((each) => [...each.values()]);
  bundles.push(userBundle);
  const typeOf = ({ type, targetType }: Bundle['fields'][number]) => (targetType ? `${type} to ${targetType}` : type);
  return Object.fromEntries(
    bundles.map((bundle) => [
      `${bundle.entityType}.${bundle.name}`,
      Object.fromEntries(bundle.fields.map((field) => [field.name, typeOf(field)])),
    ]),
  );
}

/** A field whose values the new model lacks, or a whole bundle if `field` is undefined. */
interface FieldLoss {
  readonly key: string;
  readonly entityType: FieldOfBundle['entityType'];
  readonly bundle: string;
  readonly field: string | undefined;
  readonly uses: number;
  readonly why: string;
}

async function findLost(
  { database }: Services,
  stored: StoredModel['fields'],
  next: StoredModel['fields'],
): Promise<FieldLoss[]> {
  const lost: FieldLoss[] = [];
  const count = async (counting: Statement<{ count: number }[]>) => (await database.get(counting))?.count ?? 0;
  for (const [key, fields] of Object.entries(stored)) {
    const [entityType, bundle] = key.split('.') as [FieldOfBundle['entityType'], string];
    const nextFields = next[key];
    if (nextFields === undefined) {
      const uses = await count(countEntities({ entityType, bundle }));
      if (uses > 0) lost.push({ key, entityType, bundle, field: undefined, uses, why: 'is no longer in the model' });
      continue;
    }
    for (const [field, type] of Object.entries(fields)) {
      if (nextFields[field] === type) continue;
      const uses = await count(countHolders({ entityType, bundle, field }));
      const why = nextFields[field] ? `is ${nextFields[field]} now and was ${type}` : 'is no longer in the model';
      if (uses > 0) lost.push({ key, entityType, bundle, field, uses, why });
    }
  }
  return lost;
}

function conflict(lost: readonly FieldLoss[]): ModelConflictError {
  const lines = lost.map(
    ({ entityType, bundle, field, uses, why }) =>
      `  ${entityType}.${bundle}${field ? `.${field}` : ''} ${why}; it holds values in ${uses} ${uses === 1 ? 'entity' : 'entities'}`,
  );
  return new ModelConflictError(
    `The content model would lose stored values:\n${lines.join('\n')}\n` +
      'Restore the fields in the model, or remove the values permanently with: repo migrate --drop-fields',
  );
}

/** A field whose values are to be counted or dropped. */
interface FieldOfBundle {
  readonly entityType: ContentType | 'user';
  readonly bundle: string;
  readonly field: string;
}

/** Returns the query that counts the entities that hold values of a field, now or in a previous revision. */
function countHolders({ entityType, bundle, field }: FieldOfBundle): Statement<{ count: number }[]> {
  const path = `$."${field}"`;
  const holds = (document: SQLWrapper) => sql`coalesce(json_extract(${document}, ${path}), '[]') <> '[]'`;
  if (entityType === 'user')
    return statementOf(query.select({ count: count() }).from(users).where(holds(users.fields)));
  const [table, revisions] = [contentTables[entityType], revisionTables[entityType]];
  const held = query
    .select({ id: revisions.id })
    .from(revisions)
    .where(
      and(
        eq(revisions.entityId, table.id),
        isNotNull(revisions.snapshot),
        holds(sql`${revisions.snapshot} ->> 'document'`),
      ),
    );
  const isHolder = and(eq(table.bundle, bundle), or(holds(table.document), exists(held)));
  return statementOf(query.select({ count: count() }).from(table).where(isHolder));
}

/** Returns the query that counts the entities of a bundle. */
function countEntities({ entityType, bundle }: Omit<FieldOfBundle, 'field'>): Statement<{ count: number }[]> {
  if (entityType === 'user') return statementOf(query.select({ count: count() }).from(users));
  const table = contentTables[entityType];
  return statementOf(query.select({ count: count() }).from(table).where(eq(table.bundle, bundle)));
}

/** Returns the statements that remove the values of a field from documents, previous revisions and index permanently. */
function dropField({ entityType, bundle, field }: FieldOfBundle): Statement[] {
  const path = `$."${field}"`;
  if (entityType === 'user')
    return [statementOf(query.update(users).set({ fields: sql`json_remove(${users.fields}, ${path})` }))];
  const [table, revisions] = [contentTables[entityType], revisionTables[entityType]];
  const ids = query.select({ id: table.id }).from(table).where(eq(table.bundle, bundle));
  const ofEntities = and(
    eq(references.sourceType, entityType),
    eq(references.field, field),
    inArray(references.sourceId, ids),
  );
  const document = sql`json_remove(${table.document}, ${path})`;
  // The document in a snapshot is text; concatenation with '' keeps it text. The next verification of the database
  // records the checksums again.
  const snapshot = sql`json_set(${revisions.snapshot}, '$.document',
    json_remove(${revisions.snapshot} ->> 'document', ${path}) || '')`;
  const dropUris = query.delete(termUris).where(and(eq(termUris.field, field), inArray(termUris.termId, ids)));
  return [
    statementOf(query.delete(references).where(ofEntities)),
    statementOf(
      query
        .update(table)
        .set({ document, layout: 0, version: sql`${table.version} + 1` })
        .where(eq(table.bundle, bundle)),
    ),
    statementOf(query.update(revisions).set({ checksum: null, snapshot }).where(inArray(revisions.entityId, ids))),
    ...(entityType === 'taxonomy_term' ? [statementOf(dropUris)] : []),
  ];
}
