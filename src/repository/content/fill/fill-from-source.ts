import { readLimited } from '../../../base/read-limited.ts';
import { countTags, MAX_TAGS } from '../../../field-types/body-limits.ts';
import { completeItems } from '../../../field-types/validate-field.ts';
import type { FieldDefinition, FieldValues, Item, MediaType, SourceAttribute } from '../../../model/content-model.ts';
import { genericIcon } from '../../files/generic-icon.ts';
import { type StoredFile, storageOf } from '../../files/scheme.ts';
import type { Draft } from '../base-field.ts';
import type { Services } from '../services.ts';
import type { CheckedValues } from './check-values.ts';
import { findTargets, type Target } from './targets.ts';

/** Facts of the file, which override submitted values. */
const MEASURED: ReadonlySet<SourceAttribute> = new Set(['filesize', 'width', 'height']);
const MAX_NAME_CHARS = 255;

/**
 * Fills a media from a new source file: name, MIME type, size, the content of a text file, and the thumbnail (spec:
 * model, `auto_filled`). `previous` are the stored values of an existing media. Changes draft and values. Returns true if a
 * text of the previous file stays because a person has edited it.
 */
export async function fillFromSource(
  services: Services,
  type: MediaType,
  draft: Draft,
  values: FieldValues,
  checked: CheckedValues,
  previous: FieldValues | undefined,
): Promise<boolean> {
  const { sourceField } = type;
  let keepsText = false;
  if (type.source === 'remote_video') {
    if (draft.label === '') draft.label = String(values[sourceField.name]?.[0]?.value ?? '').slice(0, MAX_NAME_CHARS);
    if (previous === undefined) draft.base.thumbnail = await iconItems(services, draft.label);
    return false;
  }
  if (!checked.submitted.has(sourceField.name)) return false;
  const item = values[sourceField.name]?.[0];
  const source = item && checked.targets.get('file', Number(item.target_id));
  if (!item || !source?.file) {
    draft.base.thumbnail = await iconItems(services, draft.label);
    return false;
  }
  // A new alternative text for the same file does not rename the media.
  const replaced = previous?.[sourceField.name]?.[0]?.target_id;
  if (replaced !== item.target_id) {
    const isSent = (name: string) => checked.submitted.has(name);
    if (previous !== undefined && !isSent(contentFieldOf(type)))
      keepsText = await forgetFilledText(services, type, values, await findFile(services, replaced));
    await fillFields(services, type, draft, values, source, isSent);
  }
  draft.base.thumbnail = type.source === 'image' ? [thumbnailOf(item)] : await iconItems(services, draft.label);
  return keepsText;
}

const contentFieldOf = ({ autoFilled }: MediaType) => autoFilled.get('content') ?? '';

async function findFile({ database }: Services, id: unknown): Promise<File | undefined> {
  if (typeof id !== 'number') return undefined;
  const targets = await findTargets(database, new Map([['file', { ids: new Set([id]), uuids: new Set() }]]));
  return targets.get('file', id)?.file;
}

/**
 * Empties the text that was filled from the previous source file of a media, so that it is filled again. Returns true for a
 * text that a person has edited, which stays. `file` is the previous file; without it, the text cannot be compared and
 * stays.
 */
export async function forgetFilledText(
  services: Services,
  type: MediaType,
  values: FieldValues,
  file: ReadableText | undefined,
): Promise<boolean> {
  const name = contentFieldOf(type);
  const [stored] = values[name] ?? [];
  if (stored === undefined) return false;
  const filled = file && (await filledText(services, file).catch(() => undefined));
  if (filled === undefined || filled[0]?.value !== stored.value) return true;
  values[name] = [];
  return false;
}

/** Empties the fields that were filled from the source file of a media, and the source. `keepsText`: except for its text. */
export async function forgetSource(
  services: Services,
  { sourceField, autoFilled }: MediaType,
  draft: Draft,
  values: FieldValues,
  keepsText: boolean,
): Promise<void> {
  values[sourceField.name] = [];
  for (const [attribute, name] of autoFilled)
    if (attribute !== 'name' && !(attribute === 'content' && keepsText)) values[name] = [];
  draft.base.thumbnail = await iconItems(services, draft.label);
}

/** Fills the fields to which the model maps attributes of the source. Submitted values override unmeasured ones. */
export async function fillFields(
  services: Services,
  type: MediaType,
  draft: Draft,
  values: FieldValues,
  source: Target,
  isSent: (field: string) => boolean,
): Promise<void> {
  const { file } = source;
  if (!file) return;
  for (const [attribute, name] of type.autoFilled) {
    const hasValue = attribute === 'name' ? draft.label !== '' : (values[name] ?? []).length > 0;
    if (isSent(name) && hasValue && !MEASURED.has(attribute)) continue;
    if (attribute === 'name') {
      draft.label = file.filename.slice(0, MAX_NAME_CHARS);
      continue;
    }
    const definition = type.fieldNamed.get(name) as FieldDefinition;
    const items = await attributeItems(services, attribute, file, values[name] ?? []);
    values[name] = completeItems(items, definition, services.fields);
  }
  if (draft.label === '') draft.label = file.filename.slice(0, MAX_NAME_CHARS);
}

type File = NonNullable<Target['file']>;

async function attributeItems(
  services: Services,
  attribute: Exclude<SourceAttribute, 'name'>,
  file: File,
  current: Item[],
): Promise<Item[]> {
  switch (attribute) {
    case 'mimetype':
      return [{ value: file.filemime }];
    case 'filesize':
      return [{ value: file.filesize }];
    case 'width':
    case 'height':
      return file[attribute] === null ? [] : [{ value: file[attribute] }];
    case 'content': {
      return current.length > 0 ? current : filledText(services, file);
    }
  }
}

/** Returns the items that the content of a file fills into a field. */
async function filledText(services: Services, file: ReadableText): Promise<Item[]> {
  const text = await readText(services, file);
  if (text === undefined || text.startsWith('<?xml')) return [];
  const value = text.replace(/\r\n|\r|\n/g, '<br />\n');
  // A text with too many tags to filter stays in its file, as a long text does.
  return countTags(value, MAX_TAGS) > MAX_TAGS ? [] : [{ value, format: 'basic_html' }];
}

function thumbnailOf({ display: _display, description: _description, ...item }: Item): Item {
  return item;
}

export async function iconItems(services: Services, alt: string): Promise<Item[]> {
  const icon = await genericIcon(services);
  if (icon === undefined) return [];
  const { target_id, ...rest } = icon;
  return [{ target_id: target_id as number, alt: '', title: alt || null, width: 180, height: 180, ...rest }];
}

/** Maximum size of a text in a field, which every response reads. A longer text stays in its file. */
const MAX_TEXT_BYTES = 2 * 1024 * 1024;

export interface ReadableText extends StoredFile {
  readonly filemime: string;
  readonly filesize: number;
  readonly storageKey: string;
}

/** Returns the content of a text file; undefined for one that is too long or not UTF-8. */
async function readText(services: Services, file: ReadableText): Promise<string | undefined> {
  if (file.filesize > MAX_TEXT_BYTES || !/^text\/|[/+](json|xml|html)$/.test(file.filemime)) return undefined;
  const body = await storageOf(services, file).storage.read(file.storageKey);
  const text = await readLimited(body instanceof Blob ? body.stream() : body, MAX_TEXT_BYTES);
  return /[\0\uFFFD]/.test(text) ? undefined : text;
}
