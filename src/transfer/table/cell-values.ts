import { Cache } from '../../base/cache.ts';
import { isMap } from '../../base/is-map.ts';
import type { JsonObject, JsonValue } from '../../base/json.ts';
import { madeOnce } from '../../base/made-once.ts';
import { type CellFault, shown } from '../../field-types/cell.ts';
import type { FieldType, FieldTypes } from '../../field-types/field-type.ts';
import type { EntityType, FieldDefinition } from '../../model/content-model.ts';
import { entityTarget } from '../../repository/content/referring-fields.ts';
import type { FindReferred } from './find-referred.ts';
import { type CellValue, faulty, isFault, type PlannedItem } from './row-plan.ts';
import type { TableOptions } from './table-options.ts';
import type { TermValues } from './term-value.ts';

/** The parsed values of a cell. */
export interface CellValues {
  readonly items: PlannedItem[];
  /** The invalid values. */
  readonly faults: readonly CellFault[];
}

interface ReadCells {
  read(cell: string, definition: FieldDefinition): CellValues | Promise<CellValues>;
}

/** Creates the reader of cells, which hold one value or several values separated by the subdelimiter. */
export function createCellValues(
  referred: FindReferred,
  terms: TermValues,
  fieldTypes: FieldTypes,
  { subdelimiter, textFormat }: Pick<TableOptions, 'subdelimiter' | 'textFormat'>,
): ReadCells {
  const references = createReferenceValues(referred, terms, fieldTypes);

  function valuesOf(cell: string, definition: FieldDefinition): readonly string[] {
    // A title is one value, even with a subdelimiter in it.
    if (definition.name === 'title' || !cell.includes(subdelimiter)) return [cell];
    return cell.split(subdelimiter).filter((value) => value.trim() !== '');
  }

  return {
    read(cell, definition) {
      const type = fieldTypes.of(definition);
      if (type.isJsonInCells) return collect([jsonValues(cell, type, definition)]);
      const texts = valuesOf(cell, definition);
      if (entityTarget(definition) === undefined)
        return collect(texts.map((text) => plainValue(text, type, definition, textFormat)));
      const values = texts.map((text) => references.read(text, definition));
      return values.some((value) => value instanceof Promise)
        ? Promise.all(values).then(collectOnes)
        : collectOnes(values as CellValue[]);
    },
  };
}

function collectOnes(values: readonly CellValue[]): CellValues {
  return collect(values.map((value) => [value]));
}

function collect(values: readonly (readonly CellValue[])[]): CellValues {
  const items: PlannedItem[] = [];
  const faults: CellFault[] = [];
  for (const [index, ofText] of values.entries())
    for (const value of ofText) {
      if (!isFault(value)) items.push(value);
      else faults.push(values.length === 1 ? value : { ...value, fault: `Value ${index + 1}: ${value.fault}` });
    }
  return { items, faults };
}

/** Returns the values of a cell that is one JSON object, or a list of them. */
function jsonValues(cell: string, type: FieldType, definition: FieldDefinition): CellValue[] {
  const { shortCell } = type;
  if (shortCell !== undefined && !/^\s*[[{]/.test(cell)) return itemOf({ [shortCell]: cell.trim() }, type, definition);
  const fault = faulty(`${shown(cell)} is not valid JSON. Write {"member": "value"}, or a list of such objects.`);
  let read: JsonValue;
  try {
    read = JSON.parse(cell) as JsonValue;
  } catch {
    // The message of the fault replaces the parser's.
    return [fault];
  }
  const list = Array.isArray(read) ? read : [read];
  return list.flatMap((each) => (isMap(each) ? itemOf(each, type, definition) : fault));
}

/** Returns a value of a field that refers to no entity; none if it is empty. */
export function plainValue(
  text: string,
  type: FieldType,
  definition: FieldDefinition,
  textFormat: string | undefined,
): CellValue[] {
  const read = type.readCell(text, definition, { textFormat });
  return 'fault' in read ? [read] : itemOf(read.raw, type, definition);
}

function itemOf(raw: JsonObject, type: FieldType, definition: FieldDefinition): CellValue[] {
  const item = type.parse(raw, definition);
  return item === undefined ? [] : [{ item }];
}

type Awaitable<T> = T | Promise<T>;

/** Maximum size of the cached values of one field, in bytes. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Estimated bytes of a value: an item or a message. */
const VALUE_BYTES = 150;

/** Reads and caches the values of fields that refer to entities: few of them repeat often. */
interface ReferenceValues {
  /** Reads a value of a reference or typed relation to an entity. The result is shared, and must not be changed. */
  read(text: string, definition: FieldDefinition): Awaitable<CellValue>;
}

const ID = /^\d{1,15}$/;
const ADVICE: Readonly<Record<EntityType, string>> = {
  node: 'Write the id or alias of a node, such as 12 or "/collections/maps".',
  media: 'Write the id of a media.',
  taxonomy_term: 'Write the name, id or URI of a term.',
  paragraph: 'Write the id of a paragraph.',
  file: 'Write the id of a file.',
  user: 'Write the name or id of a user.',
};

function createReferenceValues(referred: FindReferred, terms: TermValues, fieldTypes: FieldTypes): ReferenceValues {
  function readReference(text: string, definition: FieldDefinition): Awaitable<CellValue> {
    const type = entityTarget(definition) as EntityType;
    return type === 'taxonomy_term' ? terms.read(text, definition) : readEntity(type, text);
  }

  async function readEntity(type: EntityType, text: string): Promise<CellValue> {
    const id = ID.test(text) ? Number(text) : await idOf(type, text);
    if (id === undefined) return faulty(`Unknown ${type} ${shown(text)}. ${ADVICE[type]}`);
    if ((await referred.byId(type, id)) === undefined) return faulty(`There is no ${type} with id ${id}.`);
    return { item: { target_id: id } };
  }

  function idOf(type: EntityType, text: string): Awaitable<number | undefined> {
    if (type === 'node' && text.startsWith('/')) return referred.byAlias(text);
    return type === 'user' ? referred.byUserName(text) : undefined;
  }

  async function readTarget(text: string, definition: FieldDefinition): Promise<CellValue> {
    const read = fieldTypes.of(definition).cellTarget.read(text, definition);
    if ('fault' in read) return read;
    const value = await readReference(read.target, definition);
    return isFault(value) ? value : { ...value, item: { ...value.item, ...read.own } };
  }

  const cacheOf = madeOnce(
    (_field: FieldDefinition) => new Cache<CellValue>({ maxBytes: MAX_BYTES, bytesOf: () => VALUE_BYTES }),
  );

  async function readUncached(text: string, definition: FieldDefinition): Promise<CellValue> {
    const value = await readTarget(text.trim(), definition);
    cacheOf(definition).set(text, value);
    return value;
  }

  return {
    read: (text, definition) => cacheOf(definition).get(text) ?? readUncached(text, definition),
  };
}
