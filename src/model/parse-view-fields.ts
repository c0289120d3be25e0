import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import type { Bundle, TargetType, ViewField, ViewFilter, ViewOperator, ViewType } from './content-model.ts';
import type { FieldFacts } from './field-facts.ts';

/** The fields that a list may use. */
export interface ViewScope {
  readonly entityType: ViewType;
  readonly bundles: readonly Bundle[];
  readonly fieldTypes: ReadonlyMap<string, FieldFacts>;
}

const CONFIG = ['node_type', 'media_type', 'taxonomy_vocabulary', 'user_role'];

/** Finds a field by its text in a list, such as `title` or `field_linked_agent.rel_type`. Reports an unknown field. */
export function parseViewField(
  reader: ConfigReader,
  { entityType, bundles, fieldTypes }: ViewScope,
  text: string,
  path: readonly string[],
): ViewField | undefined {
  const [name = '', property, ...rest] = text.split('.');
  const base = Object.hasOwn(VIEW_BASE_FIELDS[entityType], name) ? VIEW_BASE_FIELDS[entityType][name] : undefined;
  const definition: { type: string; targetType?: TargetType | undefined } | undefined =
    base ?? bundles.map(({ fieldNamed }) => fieldNamed.get(name)).find((each) => each !== undefined);
  if (definition === undefined) {
    const known = bundles.flatMap(({ fields }) => fields.map((field) => field.name));
    reader.reportUnknown(path, 'field', name, new Set([...Object.keys(VIEW_BASE_FIELDS[entityType]), ...known]));
    return undefined;
  }
  const { type, targetType } = definition;
  const properties = fieldTypes.get(type)?.properties ?? {};
  const used = property ?? Object.keys(properties)[0] ?? '';
  const ofProperty = Object.hasOwn(properties, used) ? properties[used] : undefined;
  if (rest.length > 0 || ofProperty === undefined) {
    const known = Object.keys(properties).join(', ');
    reader.report(path, `${nameOf(path)}: an item of ${name} has no ${text.slice(name.length + 1)}; it has ${known}`);
    return undefined;
  }
  const isTarget = used === 'target_id';
  const isEntity = isTarget && targetType !== undefined && !CONFIG.includes(targetType);
  const kind = isEntity ? 'id' : ofProperty;
  return { text, name, property: used, type, targetType: isTarget ? targetType : undefined, kind };
}

/** Reads a field with its operator. Only texts have operators besides `equals`. */
export function parseViewFilter(
  reader: ConfigReader,
  scope: ViewScope,
  { field: text, operator = 'equals' }: { field?: string; operator?: ViewOperator },
  path: readonly string[],
): ViewFilter | undefined {
  const field = text === undefined ? undefined : parseViewField(reader, scope, text, [...path, 'field']);
  if (field === undefined) return undefined;
  if (operator !== 'equals' && field.kind !== 'text') {
    const at = [...path, 'operator'];
    const what = field.kind === 'id' ? 'the id of another entity' : `a ${field.kind}`;
    reader.report(at, `${nameOf(at)}: ${operator} is for text, and ${field.text} is ${what}; leave it out`);
    return undefined;
  }
  return { field, operator };
}

/** The part of a base field that lists use. */
interface ViewBaseField {
  readonly type: string;
  readonly targetType?: TargetType;
}

const COMMON: Readonly<Record<string, ViewBaseField>> = {
  uuid: { type: 'uuid' },
  langcode: { type: 'language' },
  status: { type: 'boolean' },
  changed: { type: 'changed' },
  path: { type: 'path' },
};
const OWNED: Readonly<Record<string, ViewBaseField>> = {
  uid: { type: 'entity_reference', targetType: 'user' },
  created: { type: 'created' },
};

/** The base fields of each entity type that lists may use. */
const VIEW_BASE_FIELDS: Readonly<Record<ViewType, Readonly<Record<string, ViewBaseField>>>> = {
  node: {
    nid: { type: 'integer' },
    type: { type: 'entity_reference', targetType: 'node_type' },
    title: { type: 'string' },
    promote: { type: 'boolean' },
    sticky: { type: 'boolean' },
    ...OWNED,
    ...COMMON,
  },
  media: {
    mid: { type: 'integer' },
    bundle: { type: 'entity_reference', targetType: 'media_type' },
    name: { type: 'string' },
    ...OWNED,
    ...COMMON,
  },
  taxonomy_term: {
    tid: { type: 'integer' },
    vid: { type: 'entity_reference', targetType: 'taxonomy_vocabulary' },
    name: { type: 'string' },
    description: { type: 'text_long' },
    weight: { type: 'integer' },
    parent: { type: 'entity_reference', targetType: 'taxonomy_term' },
    ...COMMON,
  },
};
