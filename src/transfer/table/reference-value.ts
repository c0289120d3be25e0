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
