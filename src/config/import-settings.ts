import { Type as t } from '@sinclair/typebox';
import { parseHttpAddress } from '../base/allowed-sources.ts';
import { list, number } from './entry-types.ts';
import { type EntryType, setting } from './setting.ts';

const MIN_BYTES = 1024 ** 2;
const MAX_BYTES = 1024 ** 5;
const MAX_DOWNLOADS = 100;

const address: EntryType<URL> = {
  schema: t.String({ description: 'an http or https address' }),
  parse: (entry: string) => parseHttpAddress(entry),
};

/** The settings of imports of tables. */
export const IMPORT_SETTINGS = {
  /** The maximum size of the tables and files that are uploaded for imports in a browser, together, in bytes. */
  maxBytes: setting('imports.maxBytes', number(MIN_BYTES, MAX_BYTES, 'a number of bytes'), {
    default: 20 * 1024 ** 3,
  }),
  /** The addresses below which tables may name files. None: a table names files of a folder only. */
  allowedSources: setting('imports.allowedSources', list(address, { description: 'a list of address prefixes' }), {
    default: [] as readonly URL[],
  }),
  /** The maximum number of concurrent downloads of a process. */
  maxDownloads: setting('imports.maxDownloads', number(1, MAX_DOWNLOADS), { default: 4 }),
};
