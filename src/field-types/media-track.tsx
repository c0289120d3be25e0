import { Type as t } from '@sinclair/typebox';
import { optionsOf } from './control.ts';
import { isNothing, toBoolean, toText } from './convert-value.ts';
import { searchTextOf } from './define-field-type.ts';
import { fileNameOf } from './display/addresses.ts';
import type { FieldType } from './field-type.ts';
import { file, pathOfFile } from './file.tsx';
import { textOf } from './page-view.ts';
import { readTarget, targetViolations, withTarget } from './reference.tsx';
import { answeredReference, REFERENCE_MEMBERS, textOrNull } from './schemas.ts';
import { nonTexts, tooLong, wrongType } from './violation.ts';

/** The kinds of tracks (HTML, 4.8.11). */
const KINDS = {
  subtitles: 'Subtitles: speech, in a language',
  captions: 'Captions: speech and sounds',
  descriptions: 'Descriptions: what is seen',
  chapters: 'Chapters',
};
const MAX_CHARACTERS = { label: 128, kind: 20, srclang: 20 };

/** A reference to a track file, such as subtitles, with its kind and language. */
export const mediaTrack: FieldType = {
  ...file,
  searchText: ({ label }) => searchTextOf(label),
  properties: { target_id: 'text', label: 'text', kind: 'text', srclang: 'text', default: 'boolean' },
  answer: answeredReference('TrackItem', {
    label: textOrNull,
    kind: textOrNull,
    srclang: textOrNull,
    default: t.Boolean(),
  }),
  input: [...REFERENCE_MEMBERS, 'label', 'kind', 'srclang', 'default'],
  parse: (raw, definition) => {
    const target = readTarget(raw, definition);
    return (
      target && {
        ...target,
        label: toText(raw.label),
        kind: toText(raw.kind),
        srclang: toText(raw.srclang),
        default: isNothing(raw.default) ? false : toBoolean(raw.default),
      }
    );
  },
  violations: (item, definition) => [
    ...targetViolations(item, definition),
    ...nonTexts(item, ['label', 'kind', 'srclang']),
    ...Object.entries(MAX_CHARACTERS).flatMap(([member, max]) => tooLong(item[member], max, member, definition)),
    ...(typeof item.default === 'boolean' ? [] : [wrongType('default')]),
  ],
  complete: (item) =>
    withTarget(item, {
      label: item.label ?? null,
      kind: item.kind ?? null,
      srclang: item.srclang ?? null,
      default: item.default ?? false,
    }),
  controls: (_definition, { languages }) => [
    { kind: 'file', member: 'target_id' },
    { kind: 'text', member: 'label', label: 'Name', maxLength: MAX_CHARACTERS.label },
    { kind: 'choice', member: 'kind', label: 'Kind', options: optionsOf(KINDS), none: 'None' },
    { kind: 'choice', member: 'srclang', label: 'Language', options: languages, none: 'None' },
    { kind: 'flag', member: 'default', label: 'Shown without being chosen' },
  ],
  isTrack: true,
  show: (item, definition, view) => {
    const path = pathOfFile(item, definition, view);
    if (path === undefined) return undefined;
    const about = [item.kind, item.srclang].flatMap((part) => textOf(part) ?? []);
    return (
      <>
        <a href={view.root + path}>{textOf(item.label) ?? fileNameOf(path)}</a>
        {about.length > 0 && <span class="aside"> ({about.join(', ')})</span>}
      </>
    );
  },
  module: 'islandora',
  widget: 'media_track',
};
