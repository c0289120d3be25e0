import { madeOnce } from '../../base/made-once.ts';
import { damagedRow } from '../../database/damaged-text.ts';
import { adviceOf } from '../../database/repair-advice.ts';
import type { ContentRow } from '../../database/schema/content.ts';
import { epochSeconds } from '../../field-types/epoch-seconds.ts';
import type { Bundle, FieldValues, Item } from '../../model/content-model.ts';
import type { BaseValues, Draft, FieldNames, Head } from './base-field.ts';
import type { ContentKind } from './kinds.ts';

/** A node, media, term or paragraph. */
export interface Content {
  readonly kind: ContentKind;
  readonly bundle: Bundle;
  readonly head: Head;
  /** The representation for callers who may view it, as JSON text, without references to deleted entities. */
  readonly document: string;
}

/** Content with its parsed document. */
export interface ParsedContent extends Content {
  readonly members: FieldValues;
}

export function parseDocument(content: Content): ParsedContent {
  return { ...content, members: membersOf(content) };
}

/** Parses the document of content. Throws `storage-failed` for a damaged one. */
export function membersOf({ kind, head, document }: Content): FieldValues {
  try {
    return JSON.parse(document) as FieldValues;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw damagedRow(`${kind.type} ${head.id}: its document is not valid JSON. ${adviceOf(kind.type)}`);
  }
}

/** The columns of a row that reads need. */
export type ReadRow = Head & Pick<ContentRow, 'document'>;

/** An entity opened for a change. */
export interface OpenContent {
  readonly draft: Draft;
  /** The configured fields. */
  readonly values: FieldValues;
}

/** Returns the content of a row; undefined if the model lacks its bundle. */
export function decode(kind: ContentKind, row: ReadRow): Content | undefined {
  const bundle = kind.bundles.get(row.bundle);
  if (bundle === undefined) return undefined;
  const { document } = row;
  const content: Content = { kind, bundle, head: row, document };
  return row.layout === bundle.layout ? content : { ...content, document: withCurrentFields(content) };
}

/** Returns the document under the current definition of its bundle: with added fields, without removed ones. */
function withCurrentFields(content: Content): string {
  const { kind, bundle } = content;
  const members = membersOf(content);
  const base = Object.entries(members).filter(([name]) => kind.baseFieldNamed.has(name));
  return JSON.stringify({ ...Object.fromEntries(base), ...completeFields(bundle, members) });
}

/** Returns the values of every field of the bundle, in order. */
export function completeFields(bundle: Bundle, values: FieldValues): FieldValues {
  const complete: FieldValues = {};
  for (const { name } of bundle.fields) complete[name] = values[name] ?? [];
  return complete;
}

/** Returns the beginning of a document, which has the ids that the database assigns. */
export function identityOf({ names }: ContentKind, id: number, uuid: string, revisionId: number): string {
  const [before, after] = identityParts(names, uuid);
  return `${before}${id}${after}${revisionId}}],`;
}

/** Returns the text before the entity's id, and between it and the revision's id. */
export function identityParts({ id, revisionId }: FieldNames, uuid: string): [before: string, between: string] {
  return [`{"${id}":[{"value":`, `}],"uuid":[{"value":"${uuid}"}],"${revisionId}":[{"value":`];
}

/** The fields of a bundle in order, with the text before their items, and the text of an empty field. */
const namesIn = madeOnce(({ fields }: Bundle) =>
  fields.map(({ name }) => ({ name, begin: `,"${name}":`, empty: `,"${name}":[]` })),
);

/** Returns a document without its identity: the base fields, and every field of the bundle. */
export function restOf(kind: ContentKind, draft: Draft, values: FieldValues): string {
  const parts: string[] = [];
  for (const { definition, read, isIdentity, isForEditors } of kind.baseFields)
    if (!isIdentity && !isForEditors) parts.push(`,"${definition.name}":${JSON.stringify(read(draft))}`);
  const bundle = kind.bundles.get(draft.bundle);
  if (bundle)
    for (const { name, begin, empty } of namesIn(bundle)) {
      const items = values[name];
      if (items === undefined || items.length === 0) parts.push(empty);
      else parts.push(begin, JSON.stringify(items));
    }
  // Without the first comma.
  return `${parts.join('').slice(1)}}`;
}

/** Returns the document of an entity with known ids. */
export function documentOf(kind: ContentKind, draft: Draft, values: FieldValues): string {
  return identityOf(kind, draft.id, draft.uuid, draft.revisionId ?? 0) + restOf(kind, draft, values);
}

/** Opens content for a change, with a copy of its values. */
export function open(content: Content): OpenContent {
  const { kind, bundle, head } = content;
  const members = membersOf(content);
  const first = (name: string): Item | undefined => members[name]?.[0];
  const { names } = kind;
  const owner = first(names.owner);
  const revisionUser = first(names.revisionUser);
  const base: BaseValues = { ownerUuid: String(owner?.target_uuid ?? '') };
  if (revisionUser) base.revisionUserUuid = String(revisionUser.target_uuid);
  if (kind.type === 'node') {
    base.promote = first('promote')?.value === true;
    base.sticky = first('sticky')?.value === true;
  }
  if (kind.type === 'media') base.thumbnail = members.thumbnail ?? [];
  if (kind.type === 'taxonomy_term') {
    base.description = (members.description ?? []).filter(({ value }) => value !== null);
    base.weight = Number(first('weight')?.value ?? 0);
    base.parent = (members.parent ?? []).filter(({ target_id }) => target_id !== null);
  }
  if (kind.type === 'paragraph') {
    const textIn = (name: string) => (first(name) === undefined ? undefined : String(first(name)?.value));
    base.parentId = textIn('parent_id');
    base.parentType = textIn('parent_type');
    base.parentField = textIn('parent_field_name');
  }
  const path = first('path');
  const draft: Draft = {
    ...head,
    uuid: String(first('uuid')?.value),
    label: kind.labelMember === undefined ? '' : String(first(kind.labelMember)?.value),
    alias: (path?.alias ?? null) as string | null,
    aliasId: (path?.pid ?? null) as number | null,
    langcode: String(first('langcode')?.value),
    created: epochSeconds(String(first(names.created)?.value)),
    revisionCreated: epochSeconds(String(first(names.revisionCreated)?.value)),
    revisionUserId: revisionUser === undefined ? null : Number(revisionUser.target_id),
    base,
  };
  return { draft, values: completeFields(bundle, members) };
}

/** Folds a name for lookups: case and the encoding of accents do not matter, in every script. */
export function foldLabel(label: string): string {
  return label.normalize('NFC').toLowerCase();
}
