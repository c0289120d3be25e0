import mime from 'mime';
import type { Item } from '../model/content-model.ts';
import { toText } from './convert-value.ts';
import { searchTextOf } from './define-field-type.ts';
import { showingOf } from './display/browser-media.ts';
import type { FieldType } from './field-type.ts';
import { file, isSource, pathOfFile, showFile, uploadSettings } from './file.tsx';
import { textOf } from './page-view.ts';
import { readTarget, targetViolations, withTarget } from './reference.tsx';
import { answeredReference, integerOrNull, REFERENCE_MEMBERS, text, textOrNull } from './schemas.ts';
import { nonTexts, tooLong } from './violation.ts';

const MAX_ALT_CHARACTERS = 512;
const MAX_TITLE_CHARACTERS = 1024;

/**
 * A reference to an image with its alternative text. Its size is that of the file; a submitted size is ignored. An item
 * without `alt` or `title` keeps the stored ones of the same image.
 */
export const image: FieldType = {
  ...file,
  searchText: ({ alt, title }) => searchTextOf(alt, title),
  settings: [...file.settings, 'alt_field_required', 'must_be_image'],
  properties: { target_id: 'text', alt: 'text', title: 'text', width: 'number', height: 'number' },
  answer: answeredReference('ImageItem', {
    alt: text,
    title: textOrNull,
    width: integerOrNull,
    height: integerOrNull,
  }),
  input: [...REFERENCE_MEMBERS, 'alt', 'title'],
  parse: (raw, definition) => {
    const target = readTarget(raw, definition);
    if (target === undefined) return undefined;
    const item: Item = { ...target };
    if (raw.alt !== undefined) item.alt = toText(raw.alt ?? '');
    if (raw.title !== undefined) item.title = toText(raw.title);
    return item;
  },
  violations: (item, definition) => [
    ...targetViolations(item, definition),
    ...nonTexts(item, ['alt', 'title']),
    ...tooLong(item.alt, MAX_ALT_CHARACTERS, 'alt', definition),
    ...tooLong(item.title, MAX_TITLE_CHARACTERS, 'title', definition),
  ],
  complete: (item) =>
    withTarget(item, {
      alt: item.alt ?? '',
      title: item.title ?? null,
      width: item.width ?? null,
      height: item.height ?? null,
    }),
  keep: (submitted, stored) => {
    const former = stored.find((item) =>
      ['target_id', 'target_uuid'].some((member) => item[member] !== undefined && item[member] === submitted[member]),
    );
    const kept: Item = { ...submitted };
    for (const member of ['alt', 'title']) {
      const value = former?.[member];
      if (kept[member] === undefined && value !== undefined) kept[member] = value;
    }
    return kept;
  },
  controls: ({ altFieldRequired }) => [
    { kind: 'file', member: 'target_id' },
    {
      kind: 'text',
      member: 'alt',
      label: altFieldRequired ? 'Alternative text (required)' : 'Alternative text',
      help: 'What the picture shows, for readers who cannot see it',
      maxLength: MAX_ALT_CHARACTERS,
    },
  ],
  ofFile: (measured) => ({ width: measured?.width ?? null, height: measured?.height ?? null }),
  // Other types than browsers can show, and the source of a media, which the page shows separately, become a link.
  show: (item, definition, view) => {
    const path = pathOfFile(item, definition, view);
    const isShown = path !== undefined && showingOf(mime.getType(path) ?? '') === 'image';
    if (!isShown || isSource(definition, view)) return showFile(item, definition, view);
    return <img src={view.root + path} alt={textOf(item.alt) ?? ''} loading="lazy" />;
  },
  module: 'image',
  widget: 'image_image',
  fieldSettings: (definition) => ({
    ...uploadSettings(definition),
    ...(definition.fileExtensions !== undefined && {
      alt_field: true,
      alt_field_required: definition.altFieldRequired,
      title_field: false,
    }),
  }),
};
