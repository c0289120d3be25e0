import { type TSchema, Type as t } from '@sinclair/typebox';
import type { FieldDefinition } from '../model/content-model.ts';
import type { FieldType } from './field-type.ts';
import { refersToConfig } from './reference.tsx';
import { anyScalar, oneOf, pascal } from './schemas.ts';

/** Gives a schema a name: an API description returns a reference to it, a validator the schema itself. */
export type NameSchema = (name: string, schema: TSchema) => TSchema;

const NO_TEXT = t.Unsafe({ type: ['number', 'boolean', 'null'] });

/**
 * Returns the schema of a field's member in a write: a list of items, one bare item or null, with numbers as text and
 * bare scalars for main members. Other members of an item are accepted and dropped (decisions: lenient in what a write
 * may look like).
 */
export function inputSchema(
  type: FieldType,
  definition: FieldDefinition,
  named: NameSchema = (_name, schema) => schema,
): TSchema {
  const { main } = type;
  const isConfig = refersToConfig(definition);
  const choices = type.choices(definition);
  const ofField = pascal(definition.name);
  let { name, members } = type.input;
  let bare: TSchema = anyScalar;
  if (isConfig) name = 'ConfigReferenceInput';
  if (choices !== undefined) {
    const choice = t.Union([named(`${ofField}Choice`, oneOf([...choices.values, ''])), NO_TEXT]);
    name = `${ofField}Input`;
    members = { ...members, [choices.member]: choice };
    if (choices.member === main) bare = choice;
  }
  const item = named(`${name}Item`, t.Partial(t.Object(members)));
  const scalars = main === undefined ? [t.Null()] : [bare, t.Null()];
  const bareBundle = isConfig && choices === undefined ? [t.String()] : [];
  return named(name, t.Union([t.Array(t.Union([item, ...scalars])), item, ...bareBundle, t.Null()]));
}
