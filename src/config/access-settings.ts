import { Type as t } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader, Path } from '../base/config-reader.ts';
import { parseTrustedProxies } from '../http/trusted-proxies.ts';
import { list, map, number, text } from './entry-types.ts';
import { type EntryType, setting } from './setting.ts';

/** An address, or a range of addresses. */
export const addressRange: EntryType<string> = {
  schema: t.String({ description: 'an address, or a range such as 10.0.0.0/8' }),
  parse(entry: string) {
    parseTrustedProxies([entry]);
    return entry;
  },
};

const ranges = list(addressRange, { description: 'a list of addresses and ranges' });

const timeZone = text('the name of a time zone such as Europe/Berlin', (entry) => {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: entry }).resolvedOptions().timeZone;
  } catch {
    throw new RangeError(`must be the name of a time zone such as Europe/Berlin, found "${entry}"`);
  }
});

/** The named networks that access rules let in. */
export const NETWORKS = setting(
  'networks',
  map<ReadonlyMap<string, readonly string[]>>('a map of names to lists of addresses and ranges', readNetworks),
  { default: new Map<string, readonly string[]>() },
);

function readNetworks(entries: Readonly<Record<string, unknown>>, reader: ConfigReader, path: Path) {
  return reader.eachNamed(entries, [...path], (_name, value, at) => {
    if (Array.isArray(value) && value.length > 0) return ranges.read?.(value, reader, at) ?? [];
    reader.report(at, `${nameOf(at)} must be a list of addresses and ranges, such as [192.0.2.0/24]`);
    return [];
  });
}

/** The time zone of the site, in which days begin. */
export const TIME_ZONE = setting('timeZone', timeZone, { default: 'UTC' });

const MAX_NOTICE_DAYS = 365;

/** The number of days before the end of a rule at which its contact gets a mail; 0 for none. */
export const NOTICE_DAYS = setting('access.noticeDays', number(0, MAX_NOTICE_DAYS, 'a number of days from 0 to 365'), {
  default: 14,
});
