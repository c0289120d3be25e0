import { type TSchema, Type as t } from '@sinclair/typebox';
import type { ConfigReader, Path } from '../base/config-reader.ts';
import { mapSchema, mapWith } from './entry-types.ts';
import { type Setting, type SettingTree, type SettingValues, settingsIn } from './setting.ts';

/** A setting with the keys that lead to it from the map that is read. */
interface Place {
  readonly setting: Setting;
  readonly steps: Path;
}

/** Reads the settings of a tree from a map in a file. Reports problems; `description` says what the map must be. */
export function readSettings(
  reader: ConfigReader,
  tree: SettingTree,
  { entry, path, description }: { entry: unknown; path: Path; description: string },
): SettingValues {
  const places = settingsIn(tree).map((setting) => ({ setting, steps: setting.key.split('.') }));
  return new Map(readMap(reader, places, { entry, path, description }));
}

function* readMap(
  reader: ConfigReader,
  places: readonly Place[],
  { entry, path, description }: { entry: unknown; path: Path; description: string },
): Generator<[Setting, unknown]> {
  const members = Map.groupBy(places, ({ steps: [name = ''] }) => name);
  const schemas: Record<string, TSchema> = {};
  for (const [name, within] of members) schemas[name] = schemaOf(within);
  const given: Readonly<Record<string, unknown>> = reader.map(mapWith(schemas, description), entry, path);
  for (const [name, within] of members) {
    const value = given[name];
    const at = [...path, name];
    if (value === undefined) continue;
    const single = settingOf(within);
    if (single === undefined)
      yield* readMap(reader, behindFirstStep(within), { entry: value, path: at, description: describe(within) });
    else yield [single, readEntry(reader, single, value, at)];
  }
}

/** Returns the setting of a member; undefined for a map of settings. */
function settingOf([first]: readonly Place[]): Setting | undefined {
  return first?.steps.length === 1 ? first.setting : undefined;
}

function schemaOf(within: readonly Place[]): TSchema {
  const single = settingOf(within);
  if (single === undefined) return t.Optional(mapSchema(describe(within)));
  return single.isRequired ? single.schema : t.Optional(single.schema);
}

function behindFirstStep(within: readonly Place[]): Place[] {
  return within.map(({ setting, steps }) => ({ setting, steps: steps.slice(1) }));
}

/** `a map with cert, key and redirectPort`. */
function describe(within: readonly Place[]): string {
  const names = within.map(({ steps }) => steps.at(1) ?? '');
  return `a map with ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

function readEntry(reader: ConfigReader, { parse, read }: Setting, entry: unknown, path: Path): unknown {
  if (read) return read(entry, reader, path);
  return parse ? reader.parsed(path, entry, parse) : entry;
}
