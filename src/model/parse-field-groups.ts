import type { TSchema } from '@sinclair/typebox';
import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import { DESCRIBING_BASE_FIELDS, FORM_BASE_FIELDS } from './base-field-names.ts';
import type { Bundle } from './content-model.ts';
import { DisplayGroupSchema, DisplaySchema, FormGroupSchema, FormSchema, NamesSchema } from './field-group-schema.ts';
import type { BundleDisplay, BundleForm } from './field-groups.ts';
import { ITEM_STRUCTURES, type ItemStructure } from './item-models.ts';

type BundleFields = Pick<Bundle, 'entityType' | 'fieldNamed'>;
type Texts = Readonly<Record<string, string>>;

/** The settings that a form and a display have in common. */
interface GroupsFile {
  readonly groups?: Readonly<Record<string, unknown>>;
  readonly order?: readonly (string | undefined)[];
  readonly labels?: Texts;
}

interface GroupFile {
  readonly label?: string;
  /** An invalid name leaves a hole. */
  readonly fields?: readonly (string | undefined)[];
  readonly more?: readonly (string | undefined)[];
  readonly panel?: boolean;
}

/** Reads the form of a bundle. */
export function parseForm(
  reader: ConfigReader,
  { entityType, fieldNamed }: BundleFields,
  value: unknown,
  path: string[],
): BundleForm {
  const file = (value === undefined ? {} : reader.map(FormSchema, value, path)) as GroupsFile & {
    help?: Texts;
    not_offered?: Record<string, unknown>;
  };
  const names = new FieldNames(reader, new Set([...FORM_BASE_FIELDS[entityType], ...fieldNamed.keys()]));
  const groups = readGroups(names, FormGroupSchema, file, path);
  const notOffered = new Map<ItemStructure, readonly string[]>();
  for (const [name, list] of Object.entries(file.not_offered ?? {})) {
    const at = [...path, 'not_offered', name];
    const structure = ITEM_STRUCTURES.find((each) => each === name);
    if (structure === undefined) reader.reportUnknown(at, 'structure', name, ITEM_STRUCTURES);
    else notOffered.set(structure, names.known(reader.map(NamesSchema, list, at) as string[], at));
  }
  return {
    groups: groups.map(({ name, label, fields, more }) => ({ name, label, fields, more })),
    notOffered,
    labels: names.texts(file.labels, [...path, 'labels']),
    help: names.texts(file.help, [...path, 'help']),
  };
}

/** Reads the display of a bundle. */
export function parseDisplay(
  reader: ConfigReader,
  { entityType, fieldNamed }: BundleFields,
  value: unknown,
  path: string[],
): BundleDisplay {
  const file = (value === undefined ? {} : reader.map(DisplaySchema, value, path)) as GroupsFile;
  const names = new FieldNames(reader, new Set([...(DESCRIBING_BASE_FIELDS[entityType] ?? []), ...fieldNamed.keys()]));
  const groups = readGroups(names, DisplayGroupSchema, file, path);
  return {
    groups: groups.map(({ name, label, fields, isPanel }) => ({ name, label, fields, isPanel })),
    labels: names.texts(file.labels, [...path, 'labels']),
  };
}

/** A field in a list of a group. */
interface Mention {
  readonly field: string;
  readonly list: 'fields' | 'more';
  readonly at: string[];
  readonly isBuiltIn: boolean;
}

function readGroups(names: FieldNames, schema: TSchema, file: GroupsFile, path: string[]) {
  const { reader } = names;
  const groups = [
    ...reader
      .eachNamed(file.groups, [...path, 'groups'], (name, value, at) => {
        const group = reader.map(schema, value, at) as GroupFile;
        const mentions = (['fields', 'more'] as const).flatMap((list) =>
          (group[list] ?? []).flatMap((field, index): Mention[] => {
            const place = [...at, list, String(index)];
            return field === undefined ? [] : [{ field, list, at: place, isBuiltIn: reader.isBuiltIn(place) }];
          }),
        );
        return { name, label: group.label ?? name, isPanel: group.panel ?? false, mentions };
      })
      .values(),
  ];
  // A group of the user takes a field out of a built-in one.
  const mentions = groups.flatMap((group) => group.mentions);
  const first = new Map<string, Mention>();
  for (const isBuiltIn of [false, true])
    for (const mention of mentions)
      if (mention.isBuiltIn === isBuiltIn && !first.has(mention.field)) first.set(mention.field, mention);
  const kept = new Set(mentions.filter((mention) => isKept(names, mention, first.get(mention.field))));
  const read = groups.map((group) => {
    const ofList = (list: Mention['list']) =>
      group.mentions.flatMap((mention) => (mention.list === list && kept.has(mention) ? [mention.field] : []));
    return { ...group, fields: ofList('fields'), more: ofList('more') };
  });
  return inOrder(reader, read, file.order ?? [], [...path, 'order']);
}

function isKept(names: FieldNames, mention: Mention, first: Mention | undefined): boolean {
  const { field, at } = mention;
  if (first === mention) return names.known([field], at.slice(0, -1), Number(at.at(-1))).length > 0;
  if (first !== undefined && first.isBuiltIn === mention.isBuiltIn)
    names.reader.report(at, `${nameOf(at)}: the field ${field} is already in ${nameOf(first.at.slice(0, -1))}`);
  return false;
}

/** Returns the groups that `order` names, then the others. */
function inOrder<Group extends { readonly name: string }>(
  reader: ConfigReader,
  groups: readonly Group[],
  order: readonly (string | undefined)[],
  path: string[],
): Group[] {
  const named = new Map(groups.map((group) => [group.name, group]));
  const first = new Set<Group>();
  for (const [index, name] of order.entries()) {
    const group = named.get(name ?? '');
    if (group !== undefined) first.add(group);
    else if (name !== undefined) reader.reportUnknown([...path, String(index)], 'group', name, named.keys());
  }
  return [...first, ...groups.filter((group) => !first.has(group))];
}

/** The names of the fields of a bundle. Built-in names of fields that the user has removed are left out. */
class FieldNames {
  constructor(
    readonly reader: ConfigReader,
    readonly all: ReadonlySet<string>,
  ) {}

  /** Returns the known names of a list at a path, whose first one has the index `from`. Reports unknown ones. */
  known(names: readonly (string | undefined)[], path: string[], from = 0): string[] {
    return names.flatMap((name, index) =>
      name !== undefined && this.#isKnown(name, [...path, String(from + index)]) ? [name] : [],
    );
  }

  /** Returns the texts of known fields. Reports unknown ones. */
  texts(texts: Texts = {}, path: string[]): Map<string, string> {
    return new Map(Object.entries(texts).filter(([name]) => this.#isKnown(name, [...path, name])));
  }

  #isKnown(name: string, at: string[]): boolean {
    if (this.all.has(name)) return true;
    if (!this.reader.isBuiltIn(at)) this.reader.reportUnknown(at, 'field', name, this.all);
    return false;
  }
}
