import { parseHttpAddress } from '../base/allowed-sources.ts';
import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader, Path } from '../base/config-reader.ts';
import { choice, list, map, text, time } from './entry-types.ts';
import { setting } from './setting.ts';

const SERVICES = ['loc', 'gnd', 'viaf', 'wikidata', 'geonames'] as const;
type ServiceName = (typeof SERVICES)[number];

const MAX_TIMEOUT_S = 60;

/** The settings of authority files that forms ask outside. No services: nothing is asked. */
export const AUTHORITY_SETTINGS = {
  services: setting(
    'authorities.services',
    list(choice(SERVICES, `one of ${SERVICES.join(', ')}`), { description: 'a list of services' }),
    { default: [] },
  ),
  /** The time within which a service must answer. */
  timeoutSeconds: setting('authorities.timeout', time('from 1 s to 60 s', MAX_TIMEOUT_S), { default: 5 }),
  /** The account that GeoNames requires. */
  geonamesUser: setting('authorities.geonamesUser', text('the name of an account of geonames.org')),
  /** Other addresses of services, such as a proxy or a copy. */
  addresses: setting('authorities.addresses', map('a map of services to addresses', readAddresses), {
    default: {} as Readonly<Partial<Record<ServiceName, string>>>,
  }),
};

function readAddresses(
  entries: Readonly<Record<string, unknown>>,
  reader: ConfigReader,
  path: Path,
): Readonly<Partial<Record<ServiceName, string>>> {
  const addresses: Partial<Record<ServiceName, string>> = {};
  for (const [name, entry] of Object.entries(entries)) {
    const at = [...path, name];
    const service = SERVICES.find((each) => each === name);
    if (service === undefined) reader.reportUnknown(at, 'service', name, SERVICES);
    else if (typeof entry !== 'string') reader.report(at, `${nameOf(at)} must be an http or https address`);
    else {
      const address = reader.parsed(at, entry, (value: string) => parseHttpAddress(value).href);
      if (address !== undefined) addresses[service] = address;
    }
  }
  return addresses;
}
