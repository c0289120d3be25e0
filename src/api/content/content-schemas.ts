import { type TProperties, type TSchema, Type as t } from '@sinclair/typebox';
import type { NamedSchema } from '../../field-types/field-type.ts';
import { closed, integerOrNull, pascal, text, textOrNull } from '../../field-types/schemas.ts';
import type { Bundle, FieldDefinition } from '../../model/content-model.ts';
import type { ContentType } from '../../repository/access-rule.ts';
import type { BaseField } from '../../repository/content/base-field.ts';
import type { ContentKind } from '../../repository/content/kinds.ts';
import { type Components, namedSchema } from '../../web/openapi/components.ts';

/** The schemas of a kind of content: of responses, and of the bodies of POST and PATCH. */
interface ContentSchemas {
  readonly answer: TSchema;
  readonly create: TSchema;
  readonly change: TSchema;
}

export const CONTENT_SCHEMAS: Readonly<Record<ContentType, ContentSchemas>> = {
  node: schemasOf('node', 'Node'),
  media: schemasOf('media', 'Media'),
  taxonomy_term: schemasOf('taxonomy_term', 'TaxonomyTerm'),
  paragraph: schemasOf('paragraph', 'Paragraph'),
};

/** Links, one context for each resource. */
export const linksetSchema = namedSchema(
  'Linkset',
  closed(
    {
      linkset: t.Array(
        t.Object(
          { anchor: t.String({ format: 'uri' }) },
          {
            additionalProperties: t.Array(
              closed({
                href: t.String({ format: 'uri' }),
                type: t.Optional(t.String()),
                title: t.Optional(t.String()),
                profile: t.Optional(t.Array(t.String({ format: 'uri' }))),
              }),
            ),
            description: 'Every other member is a relation.',
          },
        ),
      ),
    },
    { description: 'RFC 9264.' },
  ),
);

/** The nodes of a JSON-LD graph. */
export const graphNodes = t.Array(
  t.Object(
    { '@id': t.String(), '@type': t.Unknown({ description: 'A text, or a list of texts.' }) },
    {
      additionalProperties: t.Array(t.Unknown()),
      description: 'Every other member is a predicate with a list of values.',
    },
  ),
  { minItems: 1 },
);

export const graphSchema = namedSchema(
  'Graph',
  closed({ '@graph': graphNodes }, { description: 'A JSON-LD graph. Its first node is the entity.' }),
);

/** Declares the schemas of a kind, each with one alternative per bundle of the content model. */
function schemasOf(type: ContentType, name: string): ContentSchemas {
  const ofBundles = (
    schemaOf: (components: Components, kind: ContentKind, bundle: Bundle) => TSchema,
    suffix: string,
  ) => {
    return (components: Components) => {
      const kind = components.api.kinds[type];
      return Array.from(kind.bundles.values(), (bundle) =>
        components.ref(`${name}${pascal(bundle.name)}${suffix}`, schemaOf(components, kind, bundle)),
      );
    };
  };
  const answers = ofBundles(answerSchema, '');
  const creates = ofBundles(
    (components, kind, bundle) => writeSchema(components, kind, bundle, requiredOf(kind, bundle)),
    'Create',
  );
  const changes = ofBundles((components, kind, bundle) => writeSchema(components, kind, bundle, []), 'Input');
  return {
    answer: namedSchema(name, (components) => {
      const { bundleMember } = components.api.kinds[type];
      return t.Unsafe({ oneOf: answers(components), description: `\`${bundleMember}\` selects one of these schemas.` });
    }),
    create: namedSchema(`${name}Create`, (components) => t.Union(creates(components))),
    change: namedSchema(`${name}Change`, (components) => t.Union(changes(components))),
  };
}

/** Returns the schema of a response: every field of the bundle, and the log message for editors (spec: rest-behaviour, 3). */
function answerSchema(components: Components, kind: ContentKind, bundle: Bundle): TSchema {
  const members: TProperties = {};
  for (const field of kind.baseFields) {
    const { definition, isForEditors } = field;
    const list = listOf(baseItem(components, kind, bundle, definition), definition, isNeverEmpty(field));
    const isBundle = definition.name === kind.bundleMember;
    const shown = isReadOnly(field) && !isBundle ? { ...list, readOnly: true } : list;
    members[definition.name] = isForEditors ? t.Optional(shown) : shown;
  }
  for (const definition of bundle.fields)
    members[definition.name] = listOf(components.item(definition), definition, false);
  return closed(members, { description: bundle.label });
}

/** Returns the schema of a write. POST and PATCH get one each: client generators do not merge schemas. */
function writeSchema(components: Components, kind: ContentKind, bundle: Bundle, required: readonly string[]): TSchema {
  const members: TProperties = {};
  const definitions = [...kind.baseFields.map(({ definition }) => definition), ...bundle.fields];
  for (const definition of definitions) {
    const member = { ...components.input(definition, ownItem(kind, definition.name)), title: definition.label };
    members[definition.name] = required.includes(definition.name) ? member : t.Optional(member);
  }
  members[kind.bundleMember] = bundleInput(components, kind, bundle);
  return closed(members, { description: `${bundle.label}, as writes send it.` });
}

/** Returns the schema of a bundle in a write: the first item counts. */
function bundleInput(components: Components, { type }: ContentKind, { name }: Bundle): TSchema {
  const item = t.Object({ target_id: t.Literal(name) });
  return t.Array(components.ref(`${pascal(type)}${pascal(name)}BundleInput`, item), { minItems: 1, title: 'Type' });
}

/** Returns the members that a POST must have. The name of a media defaults to that of its file. */
function requiredOf({ type, bundleMember, labelMember }: ContentKind, { fields }: Bundle): string[] {
  const own = fields.filter(({ required, defaultValue }) => required && defaultValue.length === 0);
  const label = type === 'media' || labelMember === undefined ? [] : [labelMember];
  return [bundleMember, ...label, ...own.map(({ name }) => name)];
}

function listOf(item: TSchema, { label, cardinality }: FieldDefinition, isNeverEmpty: boolean): TSchema {
  return t.Array(item, {
    title: label,
    ...(isNeverEmpty && { minItems: 1 }),
    ...(cardinality >= 0 && { maxItems: cardinality }),
  });
}

function baseItem(components: Components, kind: ContentKind, bundle: Bundle, definition: FieldDefinition): TSchema {
  const { name, targetType } = definition;
  if (name === kind.bundleMember)
    return closed({
      target_id: t.Literal(bundle.name),
      target_type: t.Literal(targetType ?? ''),
      target_uuid: t.Literal(bundle.uuid),
    });
  if (name === 'behavior_settings') return closed({ value: t.Array(t.Unknown(), { maxItems: 0 }) });
  const own = ownItem(kind, name);
  return own === undefined ? components.item(definition) : components.ref(own.name, own.schema);
}

/** Returns the schema of the items of a member that differ from those of its field type. */
function ownItem({ type, baseFields }: ContentKind, name: string): NamedSchema | undefined {
  if (type !== 'taxonomy_term' || !baseFields.some(({ definition }) => definition.name === name)) return undefined;
  if (name === 'parent') return { name: 'ParentItem', schema: parentItem };
  return name === 'description' ? { name: 'TermTextItem', schema: termTextItem } : undefined;
}

// Generators of clients have no type for a member that is always null: null is one value of the usual item.
const parentItem = closed(
  {
    target_id: integerOrNull,
    target_type: t.Optional(t.Literal('taxonomy_term')),
    target_uuid: t.Optional(text),
    url: t.Optional(t.String({ format: 'uri-reference' })),
  },
  { description: 'At the top, `target_id` is null and the only member.' },
);
const termTextItem = closed({ value: textOrNull, format: textOrNull, processed: text });

function isNeverEmpty({ definition, isIdentity }: BaseField): boolean {
  return definition.required || isIdentity === true;
}

function isReadOnly({ create, update }: BaseField): boolean {
  return create.kind === 'read-only' && update.kind === 'read-only';
}
