import { type TSchema, Type as t } from '@sinclair/typebox';
import type { NamedSchema } from '../../field-types/field-type.ts';
import type { BuiltInName } from '../../field-types/registry.ts';
import { inputSchema } from '../../field-types/schemas.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import { define } from '../../repository/content/base-field.ts';
import type { ApiServices } from '../api-services.ts';

const PREFIX = '#/components/schemas/';
/** The member of a reference that holds the schema it names. JSON leaves it out. */
const NAMED = Symbol('named');

/** Creates a schema that depends on the content model or on the field types. */
type MakeSchema = (components: Components) => TSchema;

interface DeclaredSchema {
  readonly name: string;
  readonly schema: TSchema | MakeSchema;
}

/**
 * Declares a schema that the document lists under a name, and returns the reference to it. The document contains every
 * schema that a route refers to, directly or through other schemas.
 */
export function namedSchema(name: string, schema: TSchema | MakeSchema): TSchema {
  return Object.assign(t.Ref(PREFIX + name), { [NAMED]: { name, schema } satisfies DeclaredSchema });
}

/** The named schemas of a document. */
export class Components {
  readonly schemas = new Map<string, TSchema>();
  /** The schemas of `ref` as JSON, by name. */
  readonly #texts = new Map<string, string>();

  /** `described` holds the references to follow. */
  constructor(
    readonly api: Pick<ApiServices, 'kinds' | 'services'>,
    described: unknown,
  ) {
    this.#addReferred(described);
  }

  /**
   * Adds a schema and returns the reference to it. Different names of the content model may become the same schema name:
   * the later one gets a number.
   */
  ref(name: string, schema: TSchema): TSchema {
    const text = JSON.stringify(schema);
    for (let count = 1; ; count++) {
      const free = count === 1 ? name : `${name}${count}`;
      if (this.schemas.has(free) && this.#texts.get(free) !== text) continue;
      this.#texts.set(free, text);
      this.schemas.set(free, schema);
      return t.Ref(PREFIX + free);
    }
  }

  /** Returns the schema of an item of a field in a response (spec: rest-behaviour, 3.2). */
  item(definition: FieldDefinition): TSchema {
    const { name, schema } = this.api.services.fields.types.of(definition).answer(definition);
    return this.ref(name, schema);
  }

  /** Returns the schema of an item of a type, for a member that is not a field of the content model. */
  itemOf(type: BuiltInName, settings: Partial<FieldDefinition> = {}): TSchema {
    return this.item(define('', '', type, settings));
  }

  /** Returns the schema of a field in a write. `answer` is that of its items in a response, if its type does not tell. */
  input(definition: FieldDefinition, answer?: NamedSchema): TSchema {
    const type = this.api.services.fields.types.of(definition);
    return inputSchema(type, definition, answer ?? type.answer(definition), (name, schema) => this.ref(name, schema));
  }

  #addReferred(value: unknown): void {
    const added = [...namedIn(value).values()].filter(({ name }) => !this.schemas.has(name));
    // Reserves the names before `ref` can give them to schemas of the content model.
    for (const { name } of added) this.schemas.set(name, t.Never());
    for (const { name, schema } of added) {
      const made = typeof schema === 'function' ? schema(this) : schema;
      this.schemas.set(name, made);
      this.#addReferred(made);
    }
  }
}

/** Returns the schemas that a value refers to, by name. Throws if two different ones have the same name. */
function namedIn(value: unknown): Map<string, DeclaredSchema> {
  const schemas = new Map<string, DeclaredSchema>();
  const seen = new Set<unknown>();
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    const named = (next as { readonly [NAMED]?: DeclaredSchema })[NAMED];
    if (named !== undefined) {
      if ((schemas.get(named.name) ?? named).schema !== named.schema)
        throw new Error(`two different schemas are named ${named.name}`);
      schemas.set(named.name, named);
      waiting.push(named.schema);
    }
    waiting.push(...Object.values(next));
  }
  return schemas;
}

/** Returns a schema that allows null, too. */
export function orNull(schema: TSchema): TSchema {
  return t.Union([schema, t.Null()]);
}

/** Returns the schema of a list with exactly one item. */
export function listOfOne(item: TSchema): TSchema {
  return t.Array(item, { minItems: 1, maxItems: 1 });
}
