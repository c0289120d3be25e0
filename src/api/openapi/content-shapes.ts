import { type TProperties, type TSchema, Type as t } from '@sinclair/typebox';
import { closed, pascal, text } from '../../field-types/schemas.ts';
import type { Bundle, FieldDefinition } from '../../model/content-model.ts';
import type { BaseField } from '../../repository/content/base-field.ts';
import type { ContentKind, ContentKinds } from '../../repository/content/kinds.ts';
import type { Components, NamedShape } from './components.ts';
import { inputShape, itemShape } from './item-shapes.ts';

/** Adds the shapes of nodes, media, terms and paragraphs as the content model has them: of answers, and of what writes send. */
export function addContentShapes(components: Components, kinds: ContentKinds): void {
  addKind(components, kinds.node, ['Node', 'NodeCreate', 'NodeChange']);
  addKind(components, kinds.media, ['Media', 'MediaCreate', 'MediaChange']);
  addKind(components, kinds.taxonomy_term, ['TaxonomyTerm', 'TaxonomyTermCreate', 'TaxonomyTermChange']);
  if (kinds.paragraph.bundles.size > 0)
    addKind(components, kinds.paragraph, ['Paragraph', 'ParagraphCreate', 'ParagraphChange']);
  addRevisionShape(components, kinds.node, 'NodeRevision');
  addRevisionShape(components, kinds.media, 'MediaRevision');
}

type KindNames = readonly [answer: NamedShape, create: NamedShape, change: NamedShape];

function addKind(components: Components, kind: ContentKind, [answer, create, change]: KindNames): void {
  const answers: TSchema[] = [];
  const creates: TSchema[] = [];
  const changes: TSchema[] = [];
  for (const bundle of kind.bundles.values()) {
    const name = `${answer}${pascal(bundle.name)}`;
    answers.push(components.ref(name, answerShape(components, kind, bundle)));
    changes.push(components.ref(`${name}Input`, writeShape(components, kind, bundle, [])));
    creates.push(components.ref(`${name}Create`, writeShape(components, kind, bundle, requiredOf(kind, bundle))));
  }
  components.add(answer, t.Unsafe({ oneOf: answers, description: `Which one, \`${kind.bundleMember}\` says.` }));
  components.add(create, t.Union(creates));
  components.add(change, t.Union(changes));
}

/** What an answer holds: every field of the bundle, and the log message for editors alone (spec: rest-behaviour, 3). */
function answerShape(components: Components, kind: ContentKind, bundle: Bundle): TSchema {
  const members: TProperties = {};
  for (const field of kind.baseFields) {
    const { definition, isForEditors } = field;
    const list = listOf(baseItem(components, kind, bundle, definition), definition, isAlwaysThere(field));
    const isBundle = definition.name === kind.bundleMember;
    const shown = isReadOnly(field) && !isBundle ? { ...list, readOnly: true } : list;
    members[definition.name] = isForEditors ? t.Optional(shown) : shown;
  }
  for (const definition of bundle.fields)
    members[definition.name] = listOf(itemShape(components, definition), definition, false);
  return closed(members, { description: bundle.label });
}

/** Returns the schema of a write. POST and PATCH get one each: client generators do not merge schemas. */
function writeShape(components: Components, kind: ContentKind, bundle: Bundle, required: readonly string[]): TSchema {
  const members: TProperties = {};
  const definitions = [...kind.baseFields.map(({ definition }) => definition), ...bundle.fields];
  for (const definition of definitions) {
    const member = { ...inputShape(components, definition), title: definition.label };
    members[definition.name] = required.includes(definition.name) ? member : t.Optional(member);
  }
  members[kind.bundleMember] = bundleInput(bundle.name);
  return closed(members, { description: `${bundle.label}, as writes send it.` });
}

/** A bundle as writes may name it: the first item counts. */
function bundleInput(name: string): TSchema {
  const id = t.Literal(name);
  const item = t.Object({ target_id: id });
  return t.Union([t.Array(t.Union([item, id]), { minItems: 1 }), item, id], { title: 'Type' });
}

/** A media without a name gets that of its file. */
function requiredOf({ type, bundleMember, labelMember }: ContentKind, { fields }: Bundle): string[] {
  const own = fields.filter(({ required, defaultValue }) => required && defaultValue.length === 0);
  const label = type === 'media' || labelMember === undefined ? [] : [labelMember];
  return [bundleMember, ...label, ...own.map(({ name }) => name)];
}

function listOf(item: TSchema, { label, cardinality }: FieldDefinition, isAlwaysThereToo: boolean): TSchema {
  return t.Array(item, {
    title: label,
    ...(isAlwaysThereToo && { minItems: 1 }),
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
  const item = itemShape(components, definition);
  if (kind.type !== 'taxonomy_term') return item;
  if (name === 'parent') return t.Union([item, components.ref('TopLevelItem', closed({ target_id: t.Null() }))]);
  if (name !== 'description') return item;
  const nothing = closed({ value: t.Null(), format: t.Null(), processed: t.Literal('') });
  return t.Union([item, components.ref('NoTextItem', nothing)]);
}

function isAlwaysThere({ definition, isIdentity }: BaseField): boolean {
  return definition.required || isIdentity === true;
}

function isReadOnly({ create, update }: BaseField): boolean {
  return create.kind === 'read-only' && update.kind === 'read-only';
}

/** One line of a history. */
function addRevisionShape(components: Components, { names, baseFieldNamed }: ContentKind, name: NamedShape): void {
  const members: TProperties = {};
  for (const member of [names.id, names.revisionId, names.revisionCreated, names.revisionUser]) {
    const definition = baseFieldNamed.get(member)?.definition;
    if (definition) members[member] = t.Array(itemShape(components, definition), { maxItems: 1 });
  }
  members[names.revisionLog] = t.Array(closed({ value: text }), { maxItems: 1 });
  members.default_revision = t.Array(closed({ value: t.Boolean() }), { minItems: 1, maxItems: 1 });
  components.add(name, closed(members, { description: 'Whether it is the current one, `default_revision` says.' }));
}
