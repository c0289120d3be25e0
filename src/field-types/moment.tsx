import { Type as t } from '@sinclair/typebox';
import type { JsonObject, JsonValue } from '../base/json.ts';
import type { Item } from '../model/content-model.ts';
import { shown } from './cell.ts';
import { isNothing } from './convert-value.ts';
import { defineFieldType, NO_WORDS } from './define-field-type.ts';
import { isoSeconds, isTellable, parseIsoSeconds } from './epoch-seconds.ts';
import type { FieldType } from './field-type.ts';
import { textOf } from './page-view.ts';
import { asTyped, rdfOfValue } from './rdf.ts';
import { Day } from './readable.tsx';
import { answered } from './schemas.ts';
import { wrongType } from './violation.ts';

/** The constant `format` member of a time. */
const DATE_FORMAT = 'Y-m-d\\TH:i:sP';
const INPUT_FORMATS: ReadonlyMap<string, string> = new Map([
  ['U', 'UNIX timestamp'],
  ['Y-m-d\\TH:i:sO', 'ISO 8601'],
  [DATE_FORMAT, 'RFC 3339'],
]);
const UNIX_TIME = /^-?\d{1,12}$/;
/** Maximum number of characters of a value in a message. */
const MAX_SHOWN_CHARACTERS = 100;

/** A time in whole seconds, set by a client. */
export const timestamp = defineFieldType({
  ...NO_WORDS,
  expectedMain: () => undefined,
  answer: answered('MomentItem', {
    value: t.String({ format: 'date-time' }),
    // Not a constant: client generators escape its backslash wrongly, and the generated clients reject every answer.
    format: t.String({ description: 'The format of the value, in the notation of PHP.' }),
  }),
  input: ['value', 'format'],
  parse: parseMoment,
  violations: ({ value = null, format }) => {
    if (typeof value !== 'string' && typeof value !== 'number') return [wrongType('value')];
    const isKept = format === DATE_FORMAT && readSeconds(value, format) !== undefined;
    return isKept ? [] : [{ path: 'value', message: badDateMessage(value, format) }];
  },
  rdf: rdfOfValue(asTyped('dateTime')),
  show: ({ value }, _definition, { language }) => {
    const moment = textOf(value);
    return moment && <Day moment={moment} language={language} />;
  },
  // A write would report only this problem, and no other problem of the row.
  readCell: (text) => {
    const raw = { value: text.trim() };
    const item = parseMoment(raw);
    const isRead = item === undefined || item.format === DATE_FORMAT;
    return isRead ? { raw } : { fault: `${shown(text)} is not a time of the form 2020-11-15T23:49:22+00:00.` };
  },
  controls: () => [{ kind: 'text', member: 'value', isShort: true, help: 'Such as 2020-11-15T23:49:22+00:00' }],
  widget: 'datetime_timestamp',
});

/** A time that the repository sets: `created` and `changed`. */
export const ownMoment: FieldType = { ...timestamp, isConfigurable: false };

function parseMoment(raw: JsonObject): Item | undefined {
  if (isNothing(raw.value)) return undefined;
  const format = typeof raw.format === 'string' && raw.format !== '' ? raw.format : undefined;
  const seconds = readSeconds(raw.value, format);
  if (seconds !== undefined) return dateItem(seconds);
  return format === undefined ? { value: raw.value } : { value: raw.value, format };
}

/** Returns the item of a time in seconds since 1970. */
export function dateItem(epochSeconds: number): Item {
  return { value: isoSeconds(epochSeconds), format: DATE_FORMAT };
}

/** Returns the message about an invalid date, with the accepted formats (spec: rest-behaviour, 1.3). */
function badDateMessage(value: JsonValue, format?: JsonValue): string {
  const own = typeof format === 'string' ? INPUT_FORMATS.get(format) : undefined;
  const accepted = own === undefined ? [...INPUT_FORMATS] : [[format, own]];
  const shown = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const cut = shown.length > MAX_SHOWN_CHARACTERS ? `${shown.slice(0, MAX_SHOWN_CHARACTERS)}…` : shown;
  const names = accepted.map(([name, label]) => `"${name}" (${label})`).join(', ');
  return `The specified date "${cut}" is not in an accepted format: ${names}.`;
}

/** Returns true for the message about an invalid date, which is returned on its own. */
export function isBadDateMessage(message: string): boolean {
  return message.startsWith('The specified date "') && message.includes('is not in an accepted format: "');
}

function readSeconds(value: JsonValue, format: string | undefined): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  if (UNIX_TIME.test(text) && (format === undefined || format === 'U')) {
    const seconds = Number(text) + 0;
    return isTellable(seconds) ? seconds : undefined;
  }
  const takesIso = format === undefined || (format !== 'U' && INPUT_FORMATS.has(format));
  return takesIso && typeof value === 'string' ? parseIsoSeconds(value) : undefined;
}
