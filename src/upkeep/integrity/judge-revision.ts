import { titleKeyOf } from '../../base/fold-text.ts';
import type { ContentRow, RevisionTable } from '../../database/schema/content.ts';
import { parseIsoSeconds } from '../../field-types/epoch-seconds.ts';
import type { FieldValues } from '../../model/content-model.ts';
import { foldLabel, identityOf } from '../../repository/content/content.ts';
import type { ContentKind } from '../../repository/content/kinds.ts';
import {
  type RevisionFacts,
  type RevisionSnapshot,
  revisionChecksum,
} from '../../repository/content/write/write-revision.ts';

type RevisionRow = RevisionTable['$inferSelect'];

/** A revision with the row of its entity; undefined if the entity does not exist. */
export interface StoredRevision extends Readonly<RevisionRow> {
  readonly row: StoredRow | undefined;
}

/** The row of an entity, with `document` only for its current revision. */
export interface StoredRow extends Readonly<Omit<ContentRow, 'id' | 'layout' | 'isDangling' | 'document'>> {
  readonly hostType: string | null;
  readonly hostId: number | null;
  readonly document: string | null;
}

interface Judgement {
  /** A description of each problem; none for an intact revision. */
  readonly problems: readonly string[];
  /** The checksum of the stored content; undefined if it cannot be read. */
  readonly checksum: string | undefined;
}

const MAX_SHOWN_CHARS = 80;

/**
 * Compares a revision with its checksum and its columns with its document. Compares the row of the entity with the
 * current revision, too.
 */
export function judgeRevision(kind: ContentKind, revision: StoredRevision): Judgement {
  const { row } = revision;
  if (row === undefined) return broken(`it belongs to ${kind.type} ${revision.entityId}, which does not exist`);
  const isCurrent = row.revisionId === revision.id;
  if (isCurrent !== (revision.snapshot === null))
    return broken(
      isCurrent ? 'it is current and marked as superseded' : 'it is not current, and its content is missing',
    );
  const held = isCurrent ? holdingOfRow(row) : readSnapshot(revision.snapshot as string);
  if (held === undefined) return broken('its content is not valid JSON');
  const identity = identityOf(kind, revision.entityId, row.uuid, revision.id);
  if (!held.document.startsWith(identity)) return broken('its document begins with ids that are not those of its row');
  const members = parse(held.document) as FieldValues | undefined;
  // Valid JSON that begins with the identity is an object.
  if (members === undefined) return broken('its document is not valid JSON');
  const facts: RevisionFacts = { ...held, uuid: row.uuid, revisionLog: revision.log };
  const checksum = revisionChecksum(kind, facts, held.document.slice(identity.length));
  const isAsRecorded = revision.checksum === null || revision.checksum === checksum;
  return {
    problems: [
      ...(isAsRecorded ? [] : ['its content does not match its checksum']),
      ...differences(comparisons(kind, members, revision, held)),
      ...(isCurrent ? differences(rowComparisons(kind, members, revision, row)) : []),
    ],
    checksum,
  };
}

function broken(problem: string): Judgement {
  return { problems: [problem], checksum: undefined };
}

function holdingOfRow({ bundle, ownerId, status, changed, document }: StoredRow): RevisionSnapshot {
  return { bundle, ownerId, status, changed, document: document ?? '' };
}

function readSnapshot(text: string): RevisionSnapshot | undefined {
  const snapshot = parse(text) as Partial<RevisionSnapshot> | null | undefined;
  return typeof snapshot?.document === 'string' ? (snapshot as RevisionSnapshot) : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A column, its value, and the value in the document. */
type Comparison = readonly [column: string, stored: unknown, document: unknown];

/** Returns the comparisons for the columns of every revision. */
function comparisons(
  kind: ContentKind,
  members: FieldValues,
  { created, userId }: StoredRevision,
  { bundle, ownerId, status, changed }: RevisionSnapshot,
): Comparison[] {
  const { names, bundleMember, baseFieldNamed } = kind;
  const has = (name: string) => baseFieldNamed.has(name);
  const first = (name: string) => members[name]?.[0];
  const time = (name: string) => parseIsoSeconds(String(first(name)?.value));
  return [
    ['bundle', bundle, first(bundleMember)?.target_id],
    ['status', status, first('status')?.value],
    ...(has(names.owner) ? [['owner_id', ownerId, first(names.owner)?.target_id] as const] : []),
    ...(has('changed') ? [['changed', changed, time('changed')] as const] : []),
    ...(has(names.revisionUser)
      ? ([
          ['created', created, time(names.revisionCreated)],
          ['user_id', userId, first(names.revisionUser)?.target_id ?? null],
        ] as const)
      : []),
  ];
}

/** Returns the comparisons for the columns that only the row of the entity has. */
function rowComparisons(
  { type, labelMember, baseFieldNamed }: ContentKind,
  members: FieldValues,
  { log }: StoredRevision,
  row: StoredRow,
): Comparison[] {
  const text = (name: string) => members[name]?.[0]?.value ?? null;
  const path = members.path?.[0];
  const label = labelMember === undefined ? '' : String(text(labelMember));
  return [
    ['label', row.label, label],
    ['folded_label', row.foldedLabel, type === 'taxonomy_term' ? foldLabel(label) : null],
    ['sort_label', row.sortLabel, type === 'taxonomy_term' ? titleKeyOf(label) : null],
    ['revision_log', row.revisionLog, log],
    ...(baseFieldNamed.has('path')
      ? ([
          ['alias', row.alias, path?.alias ?? null],
          ['alias_id', row.aliasId, path?.pid ?? null],
        ] as const)
      : []),
    ...(type === 'paragraph'
      ? ([
          ['host_type', row.hostType, row.hostId === null ? null : text('parent_type')],
          ['host_id', row.hostId === null ? null : String(row.hostId), text('parent_id')],
        ] as const)
      : []),
  ];
}

function differences(compared: readonly Comparison[]): string[] {
  return compared
    .filter(([, stored, document]) => stored !== document)
    .map(
      ([column, stored, document]) => `the column ${column} is ${shown(stored)}, its document says ${shown(document)}`,
    );
}

function shown(value: unknown): string {
  const text = JSON.stringify(value ?? null);
  return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, MAX_SHOWN_CHARS)}…`;
}
