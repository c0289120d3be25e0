import { type TProperties, type TSchema, Type as t } from '@sinclair/typebox';
import { refersToConfig } from '../../fields/reference-types.ts';
import type { FieldDefinition, FieldTypeName, TargetType } from '../../model/content-model.ts';
import { type Components, pascal } from './components.ts';
import { closed, integerOrNull, text, textOrNull, UUID_PATTERN } from './scalars.ts';

/** An item of a field as an answer holds it, exactly (spec: rest-behaviour, 3.2). */
export function itemShape(components: Components, definition: FieldDefinition): TSchema {
  const shaped = SHAPES[definition.type];
  if (!('ofTarget' in shaped)) return components.ref(shaped.name, shaped.schema);
  const target = definition.targetType ?? 'node';
  return components.ref(`${pascal(target)}${shaped.name}`, closed({ ...targetMembers(target), ...shaped.ofTarget }));
}

type Shaped =
  | { readonly name: string; readonly schema: TSchema }
  /** Of references: the members beside those of the target. */
  | { readonly name: string; readonly ofTarget: TProperties };

const whole = (name: string, members: TProperties): Shaped => ({ name, schema: closed(members) });
const reference = (name: string, members: TProperties = {}): Shaped => ({ name, ofTarget: members });

const freeMap = t.Union([t.Array(t.Unknown(), { maxItems: 0 }), t.Record(t.String(), t.Unknown())], {
  description: 'An empty map is an empty list.',
});
const plainText = whole('TextItem', { value: text });
const formattedText = whole('FormattedTextItem', {
  value: text,
  format: textOrNull,
  processed: t.String({ description: 'The HTML that it shows as.' }),
});
const moment = whole('MomentItem', {
  value: t.String({ format: 'date-time' }),
  // Not a constant: client generators escape its backslash wrongly, and the generated clients reject every answer.
  format: t.String({ description: 'The form of the value, in the letters of PHP.' }),
});
const link = { uri: text, title: textOrNull, options: freeMap };
const ofTexts = (name: string, ...members: string[]): Shaped =>
  whole(name, Object.fromEntries(members.map((member) => [member, textOrNull])));

const SHAPES: Readonly<Record<FieldTypeName, Shaped>> = {
  string: plainText,
  string_long: plainText,
  list_string: plainText,
  edtf: plainText,
  language: plainText,
  email: plainText,
  text: formattedText,
  text_long: formattedText,
  text_with_summary: whole('TextWithSummaryItem', {
    value: textOrNull,
    format: textOrNull,
    processed: text,
    summary: textOrNull,
  }),
  boolean: whole('BooleanItem', { value: t.Boolean() }),
  integer: whole('IntegerItem', { value: t.Integer() }),
  decimal: whole('DecimalItem', { value: t.String({ pattern: '^[+-]?(\\d+(\\.\\d*)?|\\.\\d+)$' }) }),
  float: whole('NumberItem', { value: t.Number() }),
  created: moment,
  changed: moment,
  timestamp: moment,
  uuid: whole('UuidItem', { value: t.String({ pattern: UUID_PATTERN }) }),
  uri: whole('UriItem', { value: text, url: t.Optional(text) }),
  path: whole('AliasItem', { alias: textOrNull, pid: integerOrNull, langcode: text }),
  link: whole('LinkItem', link),
  authority_link: whole('AuthorityLinkItem', { ...link, source: textOrNull }),
  geolocation: whole('GeolocationItem', {
    lat: t.Number(),
    lng: t.Number(),
    lat_sin: t.Number(),
    lat_cos: t.Number(),
    lng_rad: t.Number(),
    data: freeMap,
    value: text,
  }),
  comment: whole('CommentItem', {
    status: t.Integer({ minimum: 0, maximum: 2 }),
    cid: t.Integer(),
    last_comment_timestamp: t.Integer(),
    last_comment_name: textOrNull,
    last_comment_uid: t.Integer(),
    comment_count: t.Integer(),
  }),
  textfield_attr: whole('TextfieldAttrItem', { attr0: textOrNull, attr1: textOrNull, value: text }),
  textarea_attr: whole('TextareaAttrItem', { attr0: textOrNull, attr1: textOrNull, format: textOrNull, value: text }),
  related_item: ofTexts('RelatedItem', 'identifier', 'identifier_type', 'number', 'title'),
  part_detail: ofTexts('PartDetailItem', 'type', 'caption', 'number', 'title'),
  hierarchical_geographic: ofTexts(
    'HierarchicalGeographicItem',
    ...['continent', 'country', 'region', 'state', 'territory', 'county', 'city', 'city_section', 'island', 'area'],
    'extraterrestrial_area',
  ),
  entity_reference: reference('Reference'),
  config_reference: reference('Reference'),
  entity_reference_revisions: reference('RevisionReference', { target_revision_id: integerOrNull }),
  typed_relation: reference('Relation', { rel_type: t.String({ description: 'The role, as `relators:aut`.' }) }),
  file: reference('Item', { display: t.Boolean(), description: textOrNull }),
  image: reference('ImageItem', { alt: text, title: textOrNull, width: integerOrNull, height: integerOrNull }),
  media_track: reference('TrackItem', {
    label: textOrNull,
    kind: textOrNull,
    srclang: textOrNull,
    default: t.Boolean(),
  }),
};

function targetMembers(target: TargetType): TProperties {
  const kind = { target_type: t.Literal(target) };
  if (refersToConfig({ targetType: target }))
    return { target_id: text, ...kind, target_uuid: t.String({ pattern: UUID_PATTERN }) };
  const known = { target_id: t.Integer(), ...kind, target_uuid: text };
  // A paragraph has no page of its own.
  if (target === 'paragraph') return known;
  const url =
    target === 'file'
      ? t.String({ format: 'uri', description: 'Where the bytes are fetched.' })
      : t.String({ format: 'uri-reference', description: 'The path of the target.' });
  return { ...known, url };
}
