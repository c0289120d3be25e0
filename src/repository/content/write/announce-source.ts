import type { InStatement } from '@libsql/client';
import { and, eq, ne } from 'drizzle-orm';
import { query } from '../../../database/query-builder.ts';
import { media } from '../../../database/schema/content.ts';
import { references } from '../../../database/schema/references.ts';
import { isText } from '../../../database/sql.ts';
import { type Named, prepare } from '../../../database/statement.ts';
import type { FieldValues, MediaType } from '../../../model/content-model.ts';
import type { Actor } from '../../actor.ts';
import type { BaseServices } from '../../base-services.ts';
import { typeOfFile } from '../../files/file-type.ts';
import { refersTo } from '../../relations.ts';
import type { TargetFile, Targets } from '../fill/targets.ts';

/** Derivatives of the previous bytes of a source, which the transaction of the change withdraws. */
export interface Outdated {
  readonly statements: readonly InStatement[];
  /** Sentences for the person who replaces the source. */
  readonly notices: readonly string[];
  /** The objects that the statements record as discarded. */
  readonly discarded: readonly { readonly store: string; readonly storageKey: string }[];
  /** True if nodes are to be indexed again. */
  readonly isIndexed: boolean;
}

export const NOTHING_OUTDATED: Outdated = { statements: [], notices: [], discarded: [], isIndexed: false };

export function joinOutdated(parts: readonly Outdated[]): Outdated {
  return {
    statements: parts.flatMap(({ statements }) => statements),
    notices: parts.flatMap(({ notices }) => notices),
    discarded: parts.flatMap(({ discarded }) => discarded),
    isIndexed: parts.some(({ isIndexed }) => isIndexed),
  };
}

interface AnnouncingServices extends BaseServices {
  readonly derivatives: Announcer;
}

/** A media to save. */
interface MediaToSave {
  /** Undefined for a new media. */
  readonly id: number | undefined;
  readonly uuid: string;
  readonly type: MediaType;
  readonly values: FieldValues;
  /** The stored values; undefined for a new media. */
  readonly previous: FieldValues | undefined;
  /** The actions that created a derivative. */
  readonly chain?: readonly string[];
}

/**
 * Returns statements that queue derivatives of a media with a new source file (spec: model, `trigger_rules`). A file
 * that is missing in `targets` is not new.
 */
export async function announceSource(
  services: AnnouncingServices,
  actor: Actor,
  { id: mediaId, uuid, type, values, previous, chain = [] }: MediaToSave,
  targets: Targets,
): Promise<SourceChange> {
  const { name, targetType } = type.sourceField;
  const id = values[name]?.[0]?.target_id;
  if (targetType !== 'file' || typeof id !== 'number' || previous?.[name]?.[0]?.target_id === id) return NO_CHANGE;
  const file = targets.get('file', id)?.file;
  if (file === undefined) return NO_CHANGE;
  const source = { uri: file.uri, filemime: typeOfFile(file) };
  const changed = { type, values, file: source, chain, isNew: previous === undefined };
  return announce(services, actor, { id: mediaId, uuid }, changed, true);
}

/** The part of a write that follows from a new source of a media. */
export interface SourceChange {
  readonly statements: readonly InStatement[];
  readonly outdated: Outdated;
}

export const NO_CHANGE: SourceChange = { statements: [], outdated: NOTHING_OUTDATED };

async function announce(
  services: AnnouncingServices,
  actor: Actor,
  { id, uuid }: Pick<MediaToSave, 'id' | 'uuid'>,
  changed: ChangedSource,
  hasOtherBytes: boolean,
  visited = new Set<number>(),
): Promise<SourceChange> {
  const { derivatives } = services;
  const statements = await derivatives.statements(actor, uuid, changed);
  if (id === undefined || !hasOtherBytes) return { statements, outdated: NOTHING_OUTDATED };
  const outdated = await derivatives.outdated(actor, id, changed, visited.add(id));
  return { statements: [...outdated.statements, ...statements], outdated };
}

/**
 * Returns statements that queue derivatives after a file was stored again, for all media with that file. `hasOtherBytes` is
 * false if the bytes are the same: then no derivative is outdated.
 */
export async function announceBytes(
  services: AnnouncingServices,
  actor: Actor,
  { id, uuid, type, values, chain = [] }: Omit<MediaToSave, 'previous'>,
  file: Pick<TargetFile, 'uri' | 'filemime'> & { readonly id: number },
  hasOtherBytes: boolean,
): Promise<SourceChange> {
  const { database, model } = services;
  const source = (of: MediaType, its: FieldValues) => ({ type: of, values: its, file, chain, isNew: false });
  const others = await database.all(otherMedia({ fileId: file.id, uuid }));
  // Several of these media may lead to one derivative, such as the PDF of their book.
  const visited = new Set(others.map((other) => other.id));
  const changes = [await announce(services, actor, { id, uuid }, source(type, values), hasOtherBytes, visited)];
  for (const other of others) {
    const otherType = model.mediaTypes.get(other.bundle);
    const otherValues = JSON.parse(other.document) as FieldValues;
    if (otherType && otherValues[otherType.sourceField.name]?.[0]?.target_id === file.id)
      changes.push(await announce(services, actor, other, source(otherType, otherValues), hasOtherBytes, visited));
  }
  return {
    statements: changes.flatMap(({ statements }) => statements),
    outdated: joinOutdated(changes.map(({ outdated }) => outdated)),
  };
}

/** CROSS JOIN fixes the order of the join: from the few references to the file. */
const otherMedia = prepare(({ fileId, uuid }: Named<{ fileId: number; uuid: string }>) =>
  query
    .select({ id: media.id, uuid: media.uuid, bundle: media.bundle, document: media.document })
    .from(references)
    .crossJoin(media)
    .where(
      and(
        eq(media.id, references.sourceId),
        refersTo(references, 'file', fileId),
        isText(references.sourceType, 'media'),
        ne(references.field, 'thumbnail'),
        ne(media.uuid, uuid),
      ),
    ),
);

/** A media whose source file is new or has other bytes. */
export interface ChangedSource {
  readonly type: MediaType;
  /** All fields as they will be saved. */
  readonly values: FieldValues;
  /** `filemime` is its type as in `typeOfFile`. */
  readonly file: { readonly uri: string; readonly filemime: string };
  /** The actions that created a derivative: no action follows itself. */
  readonly chain: readonly string[];
  /** True if the media had no source before. */
  readonly isNew: boolean;
}

/** Announces changed sources. This is the domain's only interface to jobs. */
export interface Announcer {
  /** Returns true if the change needs a job. */
  needsJobs(actor: Actor, changed: ChangedSource): Promise<boolean>;
  /**
   * Returns statements that queue the jobs of a change and end obsolete jobs of the previous source, for the
   * transaction of the change; none for a new source without matching rule. `uuid` is the media's.
   */
  statements(actor: Actor, uuid: string, changed: ChangedSource): Promise<InStatement[]>;
  /** Finds the derivatives of the previous bytes of a source. `id` is that of its media. */
  outdated(actor: Actor, id: number, changed: ChangedSource, visited: Set<number>): Promise<Outdated>;
  /** Wakes the dispatcher. Call it after the commit of such statements. */
  wake(): void;
}
