import { Cache } from '../../base/cache.ts';
import { madeOnce } from '../../base/made-once.ts';
import { shown } from '../../field-types/cell.ts';
import type { FieldTypes } from '../../field-types/field-type.ts';
import type { EntityType, FieldDefinition } from '../../model/content-model.ts';
import { entityTarget } from '../../repository/content/referring-fields.ts';
import type { FindReferred } from './find-referred.ts';
import { type CellValue, faulty, isFault } from './row-plan.ts';
import type { TermValues } from './term-value.ts';

type Awaitable<T> = T | Promise<T>;

/** Maximum size of the cached values of one field, in bytes. */
const MAX_BYTES = 2 * 1024 * 1024;
/** Estimated bytes of a value: an item, or a sentence about a fault. */
const VALUE_BYTES = 150;

/** Reads the values of fields that refer to something, and remembers them: the same few come again and again. */
export interface ReferenceValues {
  /** `definition` is of a reference or of a typed relation to an entity. What it answers is everybody's. */
  read(text: string, definition: FieldDefinition): Awaitable<CellValue>;
}

const ID = /^\d{1,15}$/;
const HOW: Readonly<Record<EntityType, string>> = {
  node: 'a node is named by its id or its alias, as 12 or "/collections/maps"',
  media: 'a media is named by its id',
  taxonomy_term: 'a term is named by its name, id or URI',
  paragraph: 'a paragraph is named by its id',
  file: 'a file is named by its id',
  user: 'a user is named by name or id',
};

export function createReferenceValues(
  referred: FindReferred,
  terms: TermValues,
  fieldTypes: FieldTypes,
): ReferenceValues {
  function readReference(text: string, definition: FieldDefinition): Awaitable<CellValue> {
    const type = entityTarget(definition) as EntityType;
    return type === 'taxonomy_term' ? terms.read(text, definition) : readEntity(type, text);
  }

  async function readEntity(type: EntityType, text: string): Promise<CellValue> {
    const id = ID.test(text) ? Number(text) : await idOf(type, text);
    if (id === undefined) return faulty(`There is no ${type} ${shown(text)}; ${HOW[type]}.`);
    if ((await referred.byId(type, id)) === undefined) return faulty(`There is no ${type} with the id ${id}.`);
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

  async function readAnew(text: string, definition: FieldDefinition): Promise<CellValue> {
    const value = await readTarget(text.trim(), definition);
    cacheOf(definition).set(text, value);
    return value;
  }

  return {
    read: (text, definition) => cacheOf(definition).get(text) ?? readAnew(text, definition),
  };
}
