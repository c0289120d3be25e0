import type { JsonValue } from '../base/json.ts';
import type { Item } from '../model/content-model.ts';
import { isNothing } from './convert-scalar.ts';
import { isoSeconds, isTellable, parseIsoSeconds } from './epoch-seconds.ts';
import type { FieldType } from './field-type.ts';
import { wrongType } from './messages.ts';

/** The constant `format` member of a moment. */
export const DATE_FORMAT = 'Y-m-d\\TH:i:sP';
const INPUT_FORMATS: ReadonlyMap<string, string> = new Map([
  ['U', 'UNIX timestamp'],
  ['Y-m-d\\TH:i:sO', 'ISO 8601'],
  [DATE_FORMAT, 'RFC 3339'],
]);
const UNIX_TIME = /^-?\d{1,12}$/;
/** More of a value would not make the message clearer. */
const MAX_SHOWN_CHARACTERS = 100;

/** A moment in whole seconds: `created`, `changed` and `timestamp` fields. */
export const moment: FieldType = {
  main: 'value',
  parse: (raw) => {
    if (isNothing(raw.value)) return undefined;
    const format = typeof raw.format === 'string' && raw.format !== '' ? raw.format : undefined;
    const seconds = readSeconds(raw.value, format);
    if (seconds !== undefined) return dateItem(seconds);
    return format === undefined ? { value: raw.value } : { value: raw.value, format };
  },
  violations: ({ value = null, format }) => {
    if (typeof value !== 'string' && typeof value !== 'number') return [wrongType('value')];
    const isKept = format === DATE_FORMAT && readSeconds(value, format) !== undefined;
    return isKept ? [] : [{ path: 'value', message: badDateMessage(value, format) }];
  },
  complete: (item) => item,
};

/** The item of a moment that the repository itself sets; seconds since 1970. */
export function dateItem(epochSeconds: number): Item {
  return { value: isoSeconds(epochSeconds), format: DATE_FORMAT };
}

/** What is said of a date that cannot be read, naming the formats that can (spec: rest-behaviour, 1.3). */
export function badDateMessage(value: JsonValue, format?: JsonValue): string {
  const own = typeof format === 'string' ? INPUT_FORMATS.get(format) : undefined;
  const accepted = own === undefined ? [...INPUT_FORMATS] : [[format, own]];
  const shown = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  const cut = shown.length > MAX_SHOWN_CHARACTERS ? `${shown.slice(0, MAX_SHOWN_CHARACTERS)}…` : shown;
  const names = accepted.map(([name, label]) => `"${name}" (${label})`).join(', ');
  return `The specified date "${cut}" is not in an accepted format: ${names}.`;
}

/** Whether a violation's message is that of a date that cannot be read, which is answered on its own. */
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
