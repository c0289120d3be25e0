import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import { ServiceError } from '../../base/errors.ts';
import { failedGuard } from '../../database/errors.ts';
import { media } from '../../database/schema/content.ts';
import { references } from '../../database/schema/references.ts';
import { failIf, isTextWithoutIndex } from '../../database/sql.ts';
import { type Named, plain, prepare, type Statement } from '../../database/statement.ts';
import type { Item, MediaType } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import type { Content } from '../content/content.ts';
import { asSubmitted } from '../content/fill/check-values.ts';
import { targetOfNew } from '../content/fill/targets.ts';
import type { ContentKind } from '../content/kinds.ts';
import type { Services } from '../content/services.ts';
import { createContent, type SaveOptions } from '../content/write/save-content.ts';
import { insertFile, type NewFile } from '../files/file-rows.ts';
import { withFreeUri } from '../files/free-uri.ts';
import type { IngestedBytes } from '../files/ingest.ts';
import { MEDIA_OF } from '../relations.ts';

/** The node, media use and media type of an attached file. */
export interface Attachment {
  readonly nodeId: number;
  readonly termId: number;
  readonly type: MediaType;
}

/** Stored bytes that become the file of a new media. */
interface FileOfMedia {
  readonly ingested: IngestedBytes;
  /** The preferred URI. */
  readonly uri: string;
  /** Default: the type of the extension. */
  readonly filemime?: string;
  /** Empty for a file that no derivative replaces (`files.madeBy`). */
  readonly madeBy?: '';
  /** Other values of the media, and other members of the reference to the file. */
  readonly values?: Readonly<Record<string, Item[]>>;
}

/**
 * Returns the query for the media that match a PUT, lowest id first: of the type, with a reference to the node and one
 * to the term in any field (spec: rest-behaviour, 5.1 step 6). CROSS JOIN and `+` fix the order of the join: from the
 * few media of the node, it is fast for any number of media with that use.
 */
export function matching(node: SQLWrapper, term: SQLWrapper, type: SQLWrapper): SQL {
  return sql`SELECT DISTINCT ${matched.id} FROM ${references} ${ofNode}
    CROSS JOIN ${references} ${ofTerm} ON ${ofTerm.sourceType} = 'media' AND ${ofTerm.sourceId} = ${ofNode.sourceId}
      AND ${isTextWithoutIndex(ofTerm.targetType, 'taxonomy_term')} AND +${ofTerm.targetId} = ${term}
    CROSS JOIN ${media} ${matched} ON ${matched.id} = ${ofNode.sourceId} AND ${matched.bundle} = ${type}
    WHERE ${ofNode.targetType} = 'node' AND ${ofNode.targetId} = ${node} AND ${ofNode.sourceType} = 'media'
    ORDER BY ${matched.id}`;
}

const [ofNode, ofTerm, matched] = [alias(references, 'a'), alias(references, 'b'), alias(media, 'm')];

type MediaPlace = { readonly nodeId: number; readonly termId: number; readonly type: string };

const findMatching = prepare(({ nodeId, termId, type }: Named<MediaPlace>) =>
  plain(matching(nodeId, termId, type), { id: matched.id }),
);
const failIfMatching = prepare(({ nodeId, termId, type, hidden }: Named<MediaPlace & { readonly hidden: string }>) =>
  failIf(
    'taken',
    sql`EXISTS (SELECT 1 FROM (${matching(nodeId, termId, type)})
    WHERE id NOT IN (SELECT value FROM json_each(${hidden})))`,
  ),
);

/** Returns the ids of the media that match, lowest first. */
export async function matchingMedia({ database }: Services, { nodeId, termId, type }: Attachment): Promise<number[]> {
  const rows = await database.all(findMatching({ nodeId, termId, type: type.name }));
  return rows.map(({ id }) => id);
}

/** Returns the field of a media type's file. Throws `not-found` for a type without one. */
export function sourceFieldOf(type: MediaType): MediaType['sourceField'] {
  if (type.sourceField.targetType !== 'file')
    throw new ServiceError('not-found', `Source field not set for ${type.name} media`);
  return type.sourceField;
}

/** Returns the source field for a PUT to a node. Throws `not-found` if a second PUT would not find the media. */
export function attachableSourceOf(type: MediaType): MediaType['sourceField'] {
  const sourceField = sourceFieldOf(type);
  const missing = [MEDIA_OF, 'field_media_use'].find((name) => !type.fieldNamed.has(name));
  if (missing === undefined) return sourceField;
  throw new ServiceError('not-found', `${type.name} media cannot be attached to a node: they have no ${missing}`);
}

/**
 * Creates a file and its media in one transaction. The caller keeps or discards the bytes (`keepIf`): they stay staged
 * after a failed guard.
 */
export function attachFile(
  services: Services,
  actor: Actor,
  kind: ContentKind,
  { nodeId, termId, type }: Attachment,
  { values: own = {}, ...wanted }: FileOfMedia,
  options: Pick<SaveOptions, 'before' | 'after' | 'chain' | 'anyBundle'>,
): Promise<Content> {
  const { name } = sourceFieldOf(type);
  const { chain = [] } = options;
  return withFreeUri(services, { ...wanted, madeBy: chain.at(-1) ?? wanted.madeBy }, (file) => {
    const item = sourceItem(type, file, own[name]?.[0]);
    const values = asSubmitted(
      { kind, bundle: type },
      { ...own, [name]: [item], [MEDIA_OF]: [{ target_id: nodeId }], field_media_use: [{ target_id: termId }] },
      services.fields.types,
    );
    return createContent(services, actor, kind, type, values, {
      ...options,
      before: [...(options.before ?? []), insertFile(services, actor, file, true)],
      newTargets: [targetOfNew(actor, file)],
      isOfProgram: chain.length > 0,
    });
  });
}

/** Returns the reference of a media to its new source file, with a text for a picture that requires one. */
export function sourceItem(type: MediaType, file: NewFile, own: Item = {}): Item {
  const item: Item = { ...own, target_id: file.id };
  if (type.source === 'image') item.alt ??= type.sourceField.altFieldRequired ? file.filename : '';
  return item;
}

/** Returns the statement that fails a transaction (`isTaken`) if media match, other than `hidden` ones. */
export function failIfAttached({ nodeId, termId, type }: Attachment, hidden: readonly number[]): Statement {
  return failIfMatching({ nodeId, termId, type: type.name, hidden: JSON.stringify(hidden) });
}

/** Returns true if a write failed because another write has created a matching media. */
export function isTaken(error: unknown): boolean {
  return failedGuard(error) === 'guard_taken';
}
