import { PackageError, type PackageVersion } from '../files/package.ts';
import { shown } from '../files/package-path.ts';
import { decodeLine, encodeLine } from './bag-path.ts';

export const INFO_FILE = 'bag-info.txt';

/** Labels for facts of a version that BagIt has no label for. */
const CREATED = 'Version-Created';
const MESSAGE = 'Version-Message';
const USER_NAME = 'Version-User-Name';
const USER_ADDRESS = 'Version-User-Address';

const BYTES_IN_KB = 1_000;
const OXUM = /^(\d{1,15})\.(\d{1,9})$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;
/** Line separators of some validators, besides CR and LF. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these separate lines in Python.
const OTHER_LINE_ENDS = /[\v\f\x1c-\x1e\x85\u2028\u2029]/g;
const size = new Intl.NumberFormat('en', { style: 'unit', unit: 'kilobyte', maximumFractionDigits: 1 });

/** The number of bytes and files of a payload. */
export interface Oxum {
  readonly bytes: number;
  readonly count: number;
}

/** The used values of `bag-info.txt`. */
export interface BagInfo {
  readonly identifier: string | undefined;
  readonly oxum: Oxum | undefined;
  readonly version: Omit<PackageVersion, 'files'>;
}

/** The members that name the sender, with their labels, in the order of RFC 8493, 2.2.2. */
const SENDER_LABELS = {
  sourceOrganization: 'Source-Organization',
  organizationAddress: 'Organization-Address',
  contactName: 'Contact-Name',
  contactPhone: 'Contact-Phone',
  contactEmail: 'Contact-Email',
  externalDescription: 'External-Description',
  bagGroupIdentifier: 'Bag-Group-Identifier',
  internalSenderDescription: 'Internal-Sender-Description',
  internalSenderIdentifier: 'Internal-Sender-Identifier',
} as const;

/** The sender of a bag. Values are one line. */
export type BagSender = Readonly<Partial<Record<keyof typeof SENDER_LABELS, string | undefined>>>;

interface InfoFacts extends Omit<BagInfo, 'oxum' | 'identifier'> {
  readonly identifier: string;
  readonly oxum: Oxum;
  readonly agent: string;
  readonly bagged: Date;
  readonly sender: BagSender;
}

/** Returns the text of `bag-info.txt` (RFC 8493, 2.2.2). */
export function formatInfo({ identifier, oxum, agent, bagged, sender, version }: InfoFacts): string {
  const { created, message, user } = version;
  const names = Object.keys(SENDER_LABELS) as (keyof BagSender)[];
  const ofSender = names.map((name): [string, string | undefined] => [SENDER_LABELS[name], sender[name]]);
  const lines: [label: string, value: string | undefined][] = [
    ['Bag-Software-Agent', agent],
    ['Bagging-Date', bagged.toISOString().slice(0, 10)],
    ['External-Identifier', identifier],
    ['Bag-Size', size.format(oxum.bytes / BYTES_IN_KB)],
    ['Payload-Oxum', `${oxum.bytes}.${oxum.count}`],
    [CREATED, created.toISOString()],
    [MESSAGE, message === '' ? undefined : message],
    [USER_NAME, user?.name],
    [USER_ADDRESS, user?.address],
  ];
  const texts = [
    // Other programs show these as they are: only values of versions are encoded.
    ...ofSender.map(([label, value]) => [label, value?.replaceAll(OTHER_LINE_ENDS, ' ')] as const),
    ...lines.map(([label, value]) => [label, value === undefined ? undefined : lineOf(value)] as const),
  ];
  return texts.map(([label, value]) => (value === undefined ? '' : `${label}: ${value}\n`)).join('');
}

function lineOf(value: string): string {
  return encodeLine(value.replaceAll(OTHER_LINE_ENDS, ' '));
}

/** Reads `bag-info.txt`. Throws PackageError for lines without label and value, and for an invalid Payload-Oxum. */
export function parseInfo(text: string, name: string): BagInfo {
  const values = parseLabels(text, name);
  const first = (label: string) => values.get(label.toLowerCase())?.[0];
  const userName = first(USER_NAME);
  const address = first(USER_ADDRESS);
  return {
    identifier: first('External-Identifier')?.trim() || undefined,
    oxum: parseOxum(values.get('payload-oxum') ?? [], name),
    version: {
      created: parseCreated(first(CREATED), first('Bagging-Date')),
      message: decodeLine(first(MESSAGE) ?? ''),
      user:
        userName === undefined
          ? undefined
          : { name: decodeLine(userName), ...(address !== undefined && { address: decodeLine(address) }) },
    },
  };
}

/** Returns values by label in lower case. A line that begins with white space continues the previous value. */
function parseLabels(text: string, name: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  let last: string[] | undefined;
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    if (line.trim() === '') continue;
    if (/^[ \t]/.test(line) && last !== undefined) {
      last.push(`${last.pop()} ${line.trim()}`);
      continue;
    }
    const [, label, value] = /^([^:]+?)[ \t]*:[ \t]?(.*)$/.exec(line) ?? [];
    if (label === undefined || value === undefined)
      throw new PackageError(`${name}, line ${index + 1}: ${shown(line)} must be a label, a colon and a value.`);
    last = values.get(label.toLowerCase()) ?? [];
    last.push(value);
    values.set(label.toLowerCase(), last);
  }
  return values;
}

function parseOxum(values: readonly string[], name: string): Oxum | undefined {
  const [value] = values;
  if (value === undefined) return undefined;
  const match = OXUM.exec(value.trim());
  if (match === null || values.length > 1)
    throw new PackageError(
      `${name}: Payload-Oxum ${shown(values.join(' '))} must occur once, with the payload's bytes, a dot, and the number of its files.`,
    );
  return { bytes: Number(match[1]), count: Number(match[2]) };
}

/** Returns the time of the version in a bag of this program, or the bagging date, or 1970 if both are missing. */
function parseCreated(created: string | undefined, bagged: string | undefined): Date {
  const date = new Date(created ?? (bagged !== undefined && DATE.test(bagged) ? bagged : Number.NaN));
  return Number.isNaN(date.getTime()) ? new Date(0) : date;
}
