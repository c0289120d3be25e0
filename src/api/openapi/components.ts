import { type TSchema, Type as t } from '@sinclair/typebox';
import type { FieldTypes } from '../../field-types/field-type.ts';

/** The shapes that descriptions of routes name; the rest are made of the content model and found from these. */
export const NAMED_SHAPES = [
  'Node',
  'NodeCreate',
  'NodeChange',
  'Media',
  'MediaCreate',
  'MediaChange',
  'TaxonomyTerm',
  'TaxonomyTermCreate',
  'TaxonomyTermChange',
  'Paragraph',
  'ParagraphCreate',
  'ParagraphChange',
  'NodeRevision',
  'MediaRevision',
  'File',
  'User',
  'Graph',
  'FileGraph',
  'Linkset',
  'Settings',
  'SettingsChange',
  'Derivative',
  'DerivativeInFull',
  'Derivatives',
  'FormDisplay',
  'FieldConfig',
  'FieldStorage',
  'NodeType',
  'MediaType',
  'Vocabulary',
  'Alias',
  'AliasCreate',
  'AliasChange',
  'Redirect',
  'RedirectCreate',
  'Failure',
] as const;
export type NamedShape = (typeof NAMED_SHAPES)[number];

const PREFIX = '#/components/schemas/';

/** A reference to a shape of the description. */
export function shape(name: NamedShape): TSchema {
  return t.Ref(`${PREFIX}${name}`);
}

/** The shapes of one description by name. Whoever refers to one that is not there yet makes it. */
export class Components {
  readonly schemas = new Map<string, TSchema>();
  readonly #texts = new Map<string, string>();

  constructor(readonly fieldTypes: FieldTypes) {}

  /** Puts a shape under a name that is kept for it. */
  add(name: string, schema: TSchema): void {
    this.schemas.set(name, schema);
  }

  /**
   * A reference to a shape under this name, which nothing else is called by: names of the content model may become
   * the same when they are written in this manner, and then the later one is numbered.
   */
  ref(name: string, schema: TSchema): TSchema {
    const text = JSON.stringify(schema);
    for (let count = 1; ; count++) {
      const free = count === 1 ? name : `${name}${count}`;
      const isKept = (NAMED_SHAPES as readonly string[]).includes(free);
      if (isKept || (this.#texts.get(free) ?? text) !== text) continue;
      this.#texts.set(free, text);
      this.schemas.set(free, schema);
      return t.Ref(`${PREFIX}${free}`);
    }
  }
}
