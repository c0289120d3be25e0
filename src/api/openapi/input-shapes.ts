import { type TProperties, type TSchema, Type as t } from '@sinclair/typebox';
import { fieldTypes } from '../../fields/field-types.ts';
import { refersToConfig } from '../../fields/reference-types.ts';
import type { FieldDefinition, FieldTypeName } from '../../model/content-model.ts';
import { type Components, pascal } from './components.ts';
import { anyId, anyScalar, oneOf } from './scalars.ts';

/**
 * What a write may send for a field: a list of items, one bare item or null, with numbers as text, bare scalars for
 * main members, and members that are of no account (decisions: lenient in what a write may look like).
 */
export function inputShape(components: Components, definition: FieldDefinition): TSchema {
  const { name, type } = definition;
  const choices = choicesOf(definition);
  if (choices !== undefined) {
    const [member, values] = choices;
    const choice = t.Union([components.ref(`${pascal(name)}Choice`, oneOf([...values, ''])), NO_TEXT]);
    const own = { ...INPUTS[type].members, [member]: choice };
    const bare = member === fieldTypes[type].main ? choice : anyScalar;
    const chosen = { ...INPUTS[type], name: `${pascal(name)}Input`, members: own };
    return components.ref(chosen.name, listOf(components, chosen, false, bare));
  }
  const isConfig = refersToConfig(definition);
  const input = isConfig ? { ...INPUTS[type], name: 'ConfigReferenceInput' } : INPUTS[type];
  return components.ref(input.name, listOf(components, input, isConfig));
}

interface Input {
  readonly name: string;
  readonly members: TProperties;
  /** Whether a bare scalar may stand for an item. */
  readonly hasMain: boolean;
}

const NO_TEXT = t.Unsafe({ type: ['number', 'boolean', 'null'] });
const anything = t.Unknown();

/** Members that are not told here are taken and dropped. */
function listOf(
  components: Components,
  { name, members, hasMain }: Input,
  mayBeBare: boolean,
  main = anyScalar as TSchema,
): TSchema {
  const item = components.ref(`${name}Item`, t.Partial(t.Object(members)));
  const scalars = hasMain ? [main, t.Null()] : [t.Null()];
  const bare = mayBeBare ? [t.String()] : [];
  return t.Union([t.Array(t.Union([item, ...scalars])), item, ...bare, t.Null()]);
}

const input = (name: string, members: TProperties, hasMain = true): Input => ({ name, members, hasMain });
const texts = (name: string, members: readonly string[], hasMain = true) =>
  input(name, Object.fromEntries(members.map((member) => [member, anyScalar])), hasMain);

const value = texts('TextInput', ['value']);
const formattedText = texts('FormattedTextInput', ['value', 'format']);
const moment = texts('MomentInput', ['value', 'format']);
const target = { target_id: anyId, target_uuid: anyId, target_type: anything };
const link = { uri: anyScalar, title: anyScalar, options: anything };

const INPUTS: Readonly<Record<FieldTypeName, Input>> = {
  string: value,
  string_long: value,
  list_string: value,
  edtf: value,
  language: value,
  email: value,
  uuid: value,
  uri: value,
  boolean: texts('BooleanInput', ['value']),
  integer: texts('NumberInput', ['value']),
  decimal: texts('NumberInput', ['value']),
  float: texts('NumberInput', ['value']),
  text: formattedText,
  text_long: formattedText,
  text_with_summary: texts('TextWithSummaryInput', ['value', 'format', 'summary']),
  created: moment,
  changed: moment,
  timestamp: moment,
  path: texts('AliasInput', ['alias', 'langcode']),
  link: input('LinkInput', link),
  authority_link: input('AuthorityLinkInput', { ...link, source: anyScalar }),
  geolocation: input('GeolocationInput', { lat: anyScalar, lng: anyScalar, data: anything }, false),
  comment: texts('CommentInput', ['status']),
  textfield_attr: texts('TextfieldAttrInput', ['attr0', 'attr1', 'value']),
  textarea_attr: texts('TextareaAttrInput', ['attr0', 'attr1', 'format', 'value']),
  related_item: texts('RelatedItemInput', ['identifier', 'identifier_type', 'number', 'title'], false),
  part_detail: texts('PartDetailInput', ['type', 'caption', 'number', 'title'], false),
  hierarchical_geographic: texts(
    'HierarchicalGeographicInput',
    [
      ...['continent', 'country', 'region', 'state', 'territory', 'county', 'city', 'city_section', 'island', 'area'],
      'extraterrestrial_area',
    ],
    false,
  ),
  entity_reference: input('ReferenceInput', target),
  config_reference: input('ConfigReferenceInput', target),
  entity_reference_revisions: input('RevisionReferenceInput', { ...target, target_revision_id: anyScalar }),
  typed_relation: input('RelationInput', { ...target, rel_type: anyScalar }),
  file: input('FileInput', { ...target, display: anyScalar, description: anyScalar }),
  image: input('ImageInput', { ...target, alt: anyScalar, title: anyScalar }),
  media_track: input('TrackInput', {
    ...target,
    label: anyScalar,
    kind: anyScalar,
    srclang: anyScalar,
    default: anyScalar,
  }),
};

/** The member that takes certain texts only, and those. */
function choicesOf({
  allowedValues,
  relationTypes,
  authoritySources,
}: FieldDefinition): [member: string, values: string[]] | undefined {
  if (allowedValues) return ['value', Object.keys(allowedValues)];
  if (relationTypes) return ['rel_type', Object.keys(relationTypes)];
  return authoritySources && ['source', Object.keys(authoritySources)];
}
