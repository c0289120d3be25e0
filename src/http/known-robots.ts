import { Type as t } from '@sinclair/typebox';
import { createConfigReader } from '../base/config-reader.ts';
import { mergeFiles } from '../base/merge-files.ts';
import type { YamlFile } from '../base/yaml-file.ts';
import { parseTrustedProxies, type TrustedProxies } from './trusted-proxies.ts';

/** The purposes of robots. */
const PURPOSES = ['search', 'archive', 'training'] as const;

/** A robot that names itself (config/robots.yaml). */
export interface KnownRobot {
  /** The part of its `User-Agent`, and its name in `robots.txt`. */
  readonly name: string;
  readonly purpose: (typeof PURPOSES)[number];
  /** The domains of its machines. */
  readonly hosts: readonly string[];
  /** The addresses of its machines. */
  readonly addresses: TrustedProxies;
}

const DOMAIN = '^[a-z0-9-]+(\\.[a-z0-9-]+)+$';

const FileSchema = t.Object(
  { robots: t.Optional(t.Record(t.String(), t.Unknown(), { description: 'a map of robots by their names' })) },
  { additionalProperties: false, description: 'a map with robots' },
);
const RobotSchema = t.Object(
  {
    purpose: t.Union(
      PURPOSES.map((each) => t.Literal(each)),
      { description: `one of ${PURPOSES.join(', ')}` },
    ),
    hosts: t.Optional(t.Array(t.String({ pattern: DOMAIN, description: 'a domain such as example.org' }))),
    addresses: t.Optional(t.Array(t.String({ description: 'an address, or a range such as 10.0.0.0/8' }))),
  },
  { additionalProperties: false, description: 'a map with purpose, hosts and addresses' },
);
const NAME = /^[A-Za-z0-9._-]+$/;

/** Reads a list of robots: the user's file, if there is one, merged over the default list. Throws ConfigError. */
export function readKnownRobots(defaults: YamlFile, user: YamlFile | undefined): readonly KnownRobot[] {
  const rule = { members: { robots: { each: { members: {} } } } } as const;
  const merged = mergeFiles([defaults], user, rule);
  const reader = createConfigReader(merged);
  const { robots: entries = {} } = reader.map(FileSchema, merged.value, []);
  const known = Object.entries(entries).map(([name, entry]): KnownRobot => {
    const path = ['robots', name];
    if (!NAME.test(name)) reader.report(path, `${path.join('.')}: a name has letters, digits, points and hyphens`);
    const { purpose = 'search', hosts = [], addresses = [] } = reader.map(RobotSchema, entry, path);
    return { name, purpose, hosts, addresses: reader.parsed(path, addresses, parseTrustedProxies) ?? NOBODY };
  });
  reader.finish();
  return known;
}

const NOBODY = parseTrustedProxies([]);

/** Returns the robot that a `User-Agent` names. The longest name counts: `Applebot-Extended` contains another one. */
export function robotOf(known: readonly KnownRobot[], userAgent: string | null | undefined): KnownRobot | undefined {
  if (!userAgent) return undefined;
  const text = userAgent.toLowerCase();
  return known
    .filter(({ name }) => text.includes(name.toLowerCase()))
    .sort((one, other) => other.name.length - one.name.length)
    .at(0);
}
