import type { InStatement } from '@libsql/client';
import { ServiceError } from '../../base/errors.ts';
import { failedGuard } from '../../database/errors.ts';
import type { MediaType } from '../../model/content-model.ts';
import type { Actor } from '../actor.ts';
import { asSubmitted } from '../content/check-values.ts';
import type { Content } from '../content/content.ts';
import type { ContentKind } from '../content/kinds.ts';
import { createContent } from '../content/save-content.ts';
import type { Destination } from '../files/content-location.ts';
import { insertFile, type NewFile, targetOf } from '../files/file-rows.ts';
import { withFreeUri } from '../files/free-uri.ts';
import type { Ingested } from '../files/ingest.ts';
import type { Services } from '../services.ts';

/** What a binary is attached to: the node, and the term that says what use it is of. */
export interface Attachment {
  readonly nodeId: number;
  readonly termId: number;
  readonly type: MediaType;
}

/** One that may be made although media match it: those that whoever makes it cannot see. */
export interface NewAttachment extends Attachment {
  readonly hidden: readonly number[];
  /** Statements of the same transaction that come first. */
  readonly before: readonly InStatement[];
  /** Of derivatives: the actions that made them. */
  readonly chain: readonly string[];
}

/**
 * The query for the media that a PUT means, lowest id first: of that type, that refers to the node in any field and to
 * the term in any field (spec: rest-behaviour, 5.1 step 6). The arguments are expressions. CROSS and `+` keep to the
 * order that is good however many media have that use: from the few media of the node.
 */
export function matching(node: string, term: string, type: string): string {
  return `SELECT DISTINCT m.id FROM reference a
    CROSS JOIN reference b ON b.source_type = 'media' AND b.source_id = a.source_id
      AND +b.target_type = 'taxonomy_term' AND +b.target_id = ${term}
    CROSS JOIN media m ON m.id = a.source_id AND m.bundle = ${type}
    WHERE a.target_type = 'node' AND a.target_id = ${node} AND a.source_type = 'media'
    ORDER BY m.id`;
}

const MATCH = matching('?1', '?2', '?3');

/** The ids of the media that match, lowest first. */
export async function matchingMedia({ database }: Services, { nodeId, termId, type }: Attachment): Promise<number[]> {
  const { rows } = await database.client.execute({ sql: MATCH, args: [nodeId, termId, type.name] });
  return rows.map((row) => Number(row[0]));
}

/** The field that holds a media type's file. Throws 404 for a type that has none. */
export function sourceFieldOf(type: MediaType): MediaType['sourceField'] {
  if (type.sourceField.targetType !== 'file')
    throw new ServiceError('not-found', `Source field not set for ${type.name} media`);
  return type.sourceField;
}

/** What a PUT to a node needs of a media type. Throws 404 for one whose media no second PUT would find again. */
export function attachableSourceOf(type: MediaType): MediaType['sourceField'] {
  const sourceField = sourceFieldOf(type);
  const missing = ['field_media_of', 'field_media_use'].find((name) => !type.fieldNamed.has(name));
  if (missing === undefined) return sourceField;
  throw new ServiceError('not-found', `${type.name} media cannot be attached to a node: they have no ${missing}`);
}

/**
 * Makes a file and its media in one transaction. Throws a failed guard `guard_taken` if someone else has
 * made a matching media meanwhile: the bytes are still staged then.
 */
export async function attachFile(
  services: Services,
  actor: Actor,
  kind: ContentKind,
  attachment: NewAttachment,
  destination: Destination,
  ingested: Ingested,
  filemime: string,
): Promise<Content> {
  const { type, nodeId, termId, hidden, before, chain } = attachment;
  const sourceField = sourceFieldOf(type);
  const id = await services.fileIds();
  return withFreeUri(services.database, destination.uri, async (uri) => {
    const filename = uri.slice(uri.lastIndexOf('/') + 1);
    const file: NewFile = { id, uuid: Bun.randomUUIDv7(), uri, filename, filemime, ingested };
    const isImage = sourceField.type === 'image';
    const alt = sourceField.altFieldRequired ? filename : '';
    const values = asSubmitted(
      { kind, bundle: type },
      {
        [sourceField.name]: [{ target_id: id, ...(isImage && { alt }) }],
        field_media_of: [{ target_id: nodeId }],
        field_media_use: [{ target_id: termId }],
      },
    );
    const unlessTaken: InStatement = {
      sql: `INSERT INTO guard (taken) SELECT 1 FROM (${MATCH}) WHERE id NOT IN (SELECT value FROM json_each(?4)) LIMIT 1`,
      args: [nodeId, termId, type.name, JSON.stringify(hidden)],
    };
    return createContent(services, actor, kind, type, values, {
      before: [...before, unlessTaken, insertFile(services, actor, file, true)],
      chain,
      newTargets: [targetOf(actor, file)],
      anyBundle: true,
    });
  });
}

/** Whether a write failed because a matching media exists by now. */
export function isTaken(error: unknown): boolean {
  return failedGuard(error) === 'guard_taken';
}
