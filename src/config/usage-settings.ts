import { list, secret, text, yesOrNo } from './entry-types.ts';
import { type EntryType, setting } from './setting.ts';

/** As the published description of the COUNTER API has it. */
const REGISTRY_RECORD =
  /^https:\/\/registry\.(?:projectcounter|countermetrics)\.org\/platform\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const keys = list(secret('a key'), { description: 'a list of keys' });
/** Keys that no page shows. */
const apiKeys: EntryType<readonly string[]> = { ...keys, schema: { ...keys.schema, writeOnly: true } };

/** The settings of the usage statistics. */
export const USAGE_SETTINGS = {
  /** True if views of pages and downloads of files are counted. */
  counts: setting('usage.count', yesOrNo, { default: true }),
  /** True if the page of an item shows how often it was used. */
  isShown: setting('usage.showOnItems', yesOrNo, { default: false }),
  /** The file of user agents that do not count. Undefined: `config/counter-robots.json`. */
  robotsFile: setting('usage.robots', text('the path of a file')),
  /** The keys of harvesters of the COUNTER API. Without any, it rejects all callers. */
  apiKeys: setting('usage.apiKeys', apiKeys, { default: [] }),
  /** The address of the repository in the registry of COUNTER. */
  registryRecord: setting(
    'usage.registryRecord',
    text('an address such as https://registry.countermetrics.org/platform/…', parseRegistryRecord),
  ),
};

function parseRegistryRecord(entry: string): string {
  if (REGISTRY_RECORD.test(entry)) return entry;
  throw new RangeError(
    `must be an address such as https://registry.countermetrics.org/platform/ with the id of a platform, found "${entry}"`,
  );
}
