import type { TSchema } from '@sinclair/typebox';
import type { ConfigReader, Path } from '../base/config-reader.ts';

/** A type of entries in a configuration file. */
export interface EntryType<Value> {
  /** The schema of an entry. A `description` completes "x must be …"; `writeOnly` marks a secret. */
  readonly schema: TSchema;
  /** Converts the text of a variable or an option to an entry. Throws RangeError with a sentence. */
  fromText?(text: string): unknown;
  /** Converts an entry. Throws RangeError with the rest of a sentence that begins with the key. */
  parse?(entry: unknown): Value;
  /** Converts an entry with parts, at a path of the file. Reports problems to the reader. */
  read?(entry: unknown, reader: ConfigReader, path: Path): Value | undefined;
}

interface Options<Default> {
  /** The value without an entry; left out: undefined. */
  readonly default?: Default;
  /** True if the entry is required in the map around it. */
  readonly isRequired?: boolean;
  /** The environment variable that takes precedence over the file. */
  readonly variable?: string;
  /** The command-line option that takes precedence over the variable: its name with its argument, and its help. */
  readonly flag?: { readonly name: string; readonly help: string };
  /** Set if administrators change it at run time, over the file's value: its label and a sentence for their form. */
  readonly changeable?: { readonly label: string; readonly help: string };
}

/** A server setting: everything that the file, the environment, the command line and their checks know of it. */
export interface Setting<Value = unknown> extends EntryType<Value>, Options<Value> {
  /** Its path in the file, such as `database.url`. */
  readonly key: string;
}

/** Declares a setting. */
export function setting<Value, Default = undefined>(
  key: string,
  type: EntryType<Value>,
  options: Options<Default> = {},
): Setting<Value | Default> {
  return { key, ...type, ...options };
}

/** Settings by the names under which the program uses them; a nested map groups those that are used together. */
export interface SettingTree {
  readonly [name: string]: Setting | SettingTree;
}

/** The values of the settings of a tree. */
export type ValuesOf<Tree> = {
  readonly [Name in keyof Tree]: Tree[Name] extends Setting<infer Value> ? Value : ValuesOf<Tree[Name]>;
};

/** The values of some settings. */
export type SettingValues = ReadonlyMap<Setting, unknown>;

/** Returns the settings of a tree in the order of their declaration. */
export function settingsIn(tree: SettingTree): Setting[] {
  return Object.values(tree).flatMap((node) => (isSetting(node) ? [node] : settingsIn(node)));
}

/** Returns the values of a tree, which are defaults where none are given. */
export function fillIn<Tree extends SettingTree>(tree: Tree, given: SettingValues): ValuesOf<Tree> {
  const values = Object.entries(tree).map(([name, node]) => [
    name,
    isSetting(node) ? (given.has(node) ? given.get(node) : node.default) : fillIn(node, given),
  ]);
  return Object.fromEntries(values);
}

function isSetting(node: Setting | SettingTree): node is Setting {
  return typeof node.key === 'string';
}
