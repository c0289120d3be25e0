import { type Static, Type as t } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import { flag, text } from '../base/schema-parts.ts';
import { MEDIA_USE_URI } from './media-use.ts';

/** The levels of a rule: whether the description of an item and its files are open. */
export const ACCESS_LEVELS = ['open', 'files_closed', 'closed'] as const;
export type AccessLevel = (typeof ACCESS_LEVELS)[number];

/** A rule that editors choose by its name, with the values that apply unless a rule has its own. */
export interface AccessPreset {
  readonly name: string;
  readonly label: string;
  readonly level: AccessLevel;
  /** True for an embargo: a rule requires the day on which it ends. */
  readonly needsUntil: boolean;
  /** The URIs of the media uses that stay open at the level `files_closed`. */
  readonly openUses: readonly string[];
  /** The names of those who are let in. */
  readonly roles: readonly string[];
  readonly networks: readonly string[];
  readonly reason: string | undefined;
  readonly contact: string | undefined;
}

const names = (description: string) =>
  t.Optional(t.Array(t.String({ minLength: 1, description: 'text' }), { description }));

export const AccessPresetSchema = t.Object(
  {
    label: text('text for people to read'),
    level: t.Union(
      ACCESS_LEVELS.map((level) => t.Literal(level)),
      { description: `one of ${ACCESS_LEVELS.join(', ')}` },
    ),
    needs_until: t.Optional(flag()),
    open_uses: names('a list of URIs of media uses'),
    roles: names('a list of roles'),
    networks: names('a list of networks'),
    reason: t.Optional(text('text for people to read')),
    contact: t.Optional(text('a mail address')),
  },
  { additionalProperties: false, description: 'a map with at least label and level' },
);

/** Without a choice of its own, a rule that closes files leaves thumbnails open. */
export const USUAL_OPEN_USES = [MEDIA_USE_URI.thumbnail];

/** Reads the presets of access rules. */
export function parseAccessPresets(
  reader: ConfigReader,
  value: Readonly<Record<string, unknown>>,
  roles: { has(name: string): boolean; keys(): Iterable<string> },
): Map<string, AccessPreset> {
  return reader.eachNamed(value, ['access_presets'], (name, entry, path) => {
    const file: Partial<Static<typeof AccessPresetSchema>> = reader.map(AccessPresetSchema, entry, path);
    for (const [index, role] of Object.entries(file.roles ?? {}))
      if (!roles.has(role)) reader.reportUnknown([...path, 'roles', index], 'role', role, roles.keys(), 'roles');
    if (file.level === 'open' && file.needs_until)
      reader.report([...path, 'needs_until'], `${nameOf([...path, 'needs_until'])} has no effect with the level open`);
    return {
      name,
      label: file.label ?? name,
      level: file.level ?? 'closed',
      needsUntil: file.needs_until ?? false,
      openUses: file.open_uses ?? USUAL_OPEN_USES,
      roles: file.roles ?? [],
      networks: file.networks ?? [],
      reason: file.reason,
      contact: file.contact,
    };
  });
}
