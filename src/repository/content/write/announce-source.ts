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
import { refersTo } from '../../relations.ts';
import type { TargetFile, Targets } from '../fill/targets.ts';

/** A media to save. */
interface MediaToSave {
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
  { derivatives }: { readonly derivatives: Announcer },
  actor: Actor,
  { uuid, type, values, previous, chain = [] }: MediaToSave,
  targets: Targets,
): Promise<InStatement[]> {
  const { name, targetType } = type.sourceField;
  const id = values[name]?.[0]?.target_id;
  if (targetType !== 'file' || typeof id !== 'number' || previous?.[name]?.[0]?.target_id === id) return [];
  const file = targets.get('file', id)?.file;
  return file === undefined
    ? []
    : derivatives.statements(actor, uuid, { type, values, file, chain, isNew: previous === undefined });
}

/** Returns statements that queue derivatives after a file got other bytes, for all media with that file. */
export async function announceBytes(
  services: BaseServices & { readonly derivatives: Announcer },
  actor: Actor,
  { uuid, type, values, chain = [] }: Omit<MediaToSave, 'previous'>,
  file: Pick<TargetFile, 'uri' | 'filemime'> & { readonly id: number },
): Promise<InStatement[]> {
  const { database, derivatives, model } = services;
  const own = await derivatives.statements(actor, uuid, { type, values, file, chain, isNew: false });
  const media = await database.all(otherMedia({ fileId: file.id, uuid }));
  const others = await Promise.all(
    media.map(async ({ uuid: otherUuid, bundle, document }) => {
      const otherType = model.mediaTypes.get(bundle);
      const otherValues = JSON.parse(document) as FieldValues;
      const isSource = otherType && otherValues[otherType.sourceField.name]?.[0]?.target_id === file.id;
      return isSource
        ? derivatives.statements(actor, otherUuid, { type: otherType, values: otherValues, file, chain, isNew: false })
        : [];
    }),
  );
  return [...own, ...others.flat()];
}

/** CROSS JOIN fixes the order of the join: from the few references to the file. */
const otherMedia = prepare(({ fileId, uuid }: Named<{ fileId: number; uuid: string }>) =>
  query
    .select({ uuid: media.uuid, bundle: media.bundle, document: media.document })
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
  /** Wakes the dispatcher. Call it after the commit of such statements. */
  wake(): void;
}
