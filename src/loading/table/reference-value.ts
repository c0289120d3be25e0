import { nearest } from '../../base/nearest.ts';
import type { EntityType, FieldDefinition } from '../../model/content-model.ts';
import { entityTarget } from '../../repository/content/resolve-references.ts';
import { type CellValue, faulty, isFault, oneOf, shown } from './cell-value.ts';
import type { FindReferred } from './find-referred.ts';
import type { TermValues } from './term-value.ts';

type Awaitable<T> = T | Promise<T>;

/** Of each field. */
const MAX_REMEMBERED = 10_000;

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

export function createReferenceValues(referred: FindReferred, terms: TermValues): ReferenceValues {
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

  async function readRelation(text: string, definition: FieldDefinition): Promise<CellValue> {
    const relation = relationOf(text, definition.relationTypes);
    if (relation === undefined) return faulty(noRelation(text, definition));
    const target = text.slice(relation.length + 1).trim();
    if (target === '') return faulty(namesNoTerm(text, relation));
    const value = await readReference(target, definition);
    return isFault(value) ? value : { ...value, item: { ...value.item, rel_type: relation } };
  }

  const known = new Map<FieldDefinition, Map<string, CellValue>>();

  async function readAnew(text: string, definition: FieldDefinition): Promise<CellValue> {
    const read = definition.type === 'typed_relation' ? readRelation : readReference;
    const value = await read(text.trim(), definition);
    let ofField = known.get(definition);
    // A new Map and not `clear`: the collector then takes the old one whole.
    if (ofField === undefined || ofField.size >= MAX_REMEMBERED) ofField = new Map();
    known.set(definition, ofField.set(text, value));
    return value;
  }

  return {
    read: (text, definition) => known.get(definition)?.get(text) ?? readAnew(text, definition),
  };
}

/** The relation that a value begins with; where the field takes any, its first two parts. */
function relationOf(text: string, relations: FieldDefinition['relationTypes']): string | undefined {
  for (let at = text.indexOf(':'); at > 0; at = text.indexOf(':', at + 1)) {
    const left = text.slice(0, at);
    if (relations === undefined ? left.includes(':') : Object.hasOwn(relations, left)) return left;
  }
  return undefined;
}

function namesNoTerm(text: string, relation: string): string {
  return `${shown(text)} names no term after the relation ${relation}.`;
}

function noRelation(text: string, { relationTypes = {} }: FieldDefinition): string {
  const known = Object.keys(relationTypes);
  const [namespace = '', code = ''] = text.split(':');
  const isLikeOne = known.some((each) => each.startsWith(`${namespace}:`));
  if (!isLikeOne) return `${shown(text)} does not begin with a relation, as in relators:aut:person:Doe, Jane.`;
  const said = `${namespace}:${code}`;
  if (known.includes(said)) return namesNoTerm(text, said);
  const guess = nearest(said, known);
  if (guess === undefined) return `There is no relation ${shown(said)}; there are ${oneOf(known)}.`;
  const label = relationTypes[guess];
  return `There is no relation ${shown(said)}; did you mean ${guess}${label ? ` (${label})` : ''}?`;
}
