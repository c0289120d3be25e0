import { nameOf } from '../base/check-shape.ts';
import type { ConfigType, FieldDefinition, FieldTypeName, Item } from './content-model.ts';
import type { FieldScope } from './parse-field.ts';
import type { Reading } from './reading.ts';

/** The member without which an item is empty. Types that are not named here may have any members. */
const MAIN_MEMBERS: Readonly<Partial<Record<FieldTypeName, readonly string[]>>> = {
  string: ['value'],
  string_long: ['value'],
  text: ['value'],
  text_long: ['value'],
  text_with_summary: ['value'],
  list_string: ['value'],
  boolean: ['value'],
  integer: ['value'],
  decimal: ['value'],
  float: ['value'],
  edtf: ['value'],
  timestamp: ['value'],
  language: ['value'],
  uri: ['value'],
  email: ['value'],
  textfield_attr: ['value'],
  textarea_attr: ['value'],
  entity_reference: ['target_id', 'target_uuid'],
  entity_reference_revisions: ['target_id', 'target_uuid'],
  config_reference: ['target_id'],
  typed_relation: ['target_id', 'target_uuid'],
  file: ['target_id', 'target_uuid'],
  image: ['target_id', 'target_uuid'],
  media_track: ['target_id', 'target_uuid'],
  link: ['uri'],
  authority_link: ['uri'],
  comment: ['status'],
};

/** Answers the items that a field starts with, and reports those that it could not hold. */
export function checkDefaultValue(
  reading: Reading,
  scope: FieldScope,
  definition: FieldDefinition,
  items: readonly Readonly<Record<string, unknown>>[],
  path: string[],
): Item[] {
  if (definition.cardinality >= 0 && items.length > definition.cardinality) {
    const most = definition.cardinality === 1 ? '1 item' : `${definition.cardinality} items`;
    reading.report(path, `${nameOf(path)} must have at most ${most}, as cardinality says, found ${items.length}`);
  }
  return Array.from(items, (item, index) => {
    const at = [...path, `${index}`];
    const mistake = item === undefined ? undefined : mistakeIn(item, definition, scope);
    if (mistake !== undefined) {
      const where = [...at, ...mistake.member];
      reading.report(where, `${nameOf(where)} ${mistake.message}`);
    } else if (item !== undefined) {
      const refused = scope.refusedDefault(item as Item, definition);
      if (refused) reading.report(at, `${nameOf(at)} cannot be kept: ${refused}`);
    }
    return item as Item;
  }).filter((item) => item !== undefined);
}

function mistakeIn(
  item: Readonly<Record<string, unknown>>,
  definition: FieldDefinition,
  scope: FieldScope,
): { member: string[]; message: string } | undefined {
  const mains = MAIN_MEMBERS[definition.type];
  if (mains === undefined) return undefined;
  const main = mains.find((member) => item[member] !== undefined && item[member] !== null);
  if (main === undefined) return { member: [], message: `must have ${mains.join(' or ')}` };
  const expected = expectedMain(definition, scope, main, item[main]);
  if (expected !== undefined)
    return { member: [main], message: `must be ${expected}, found ${JSON.stringify(item[main])}` };
  const relation = item.rel_type;
  const relations = definition.relationTypes;
  if (relations !== undefined && !(typeof relation === 'string' && Object.hasOwn(relations, relation))) {
    return { member: ['rel_type'], message: 'must be one of rel_types' };
  }
  const source = item.source;
  const sources = definition.authoritySources;
  if (sources !== undefined && !(typeof source === 'string' && Object.hasOwn(sources, source))) {
    return { member: ['source'], message: `must be one of ${Object.keys(sources).join(', ')}` };
  }
  return undefined;
}

/** What the main member must be, if it is not. */
function expectedMain(
  definition: FieldDefinition,
  scope: FieldScope,
  member: string,
  value: unknown,
): string | undefined {
  const { type, min, max, unsigned, maxLength, allowedValues } = definition;
  if (member === 'target_id') {
    const names = scope.configNames[definition.targetType as ConfigType];
    if (names) return names.has(value as string) ? undefined : `one of ${[...names].join(', ')}`;
    return Number.isSafeInteger(value) || typeof value === 'string' ? undefined : 'an id';
  }
  if (type === 'language') {
    return scope.languages.includes(value as string) ? undefined : `one of ${scope.languages.join(', ')}`;
  }
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : 'true or false';
  if (type === 'comment') return [0, 1, 2].includes(value as number) ? undefined : '0, 1 or 2';
  if (type === 'integer' || type === 'decimal' || type === 'float') {
    const low = unsigned ? Math.max(0, min ?? 0) : min;
    if (typeof value !== 'number' || (type === 'integer' && !Number.isSafeInteger(value))) return 'a number';
    if (low !== undefined && value < low) return `at least ${low}`;
    return max !== undefined && value > max ? `at most ${max}` : undefined;
  }
  if (type === 'timestamp') return undefined;
  if (typeof value !== 'string') return 'text';
  if (maxLength !== undefined && [...value].length > maxLength) return `text of at most ${maxLength} characters`;
  const isAllowed = allowedValues === undefined || Object.hasOwn(allowedValues, value);
  return isAllowed ? undefined : `one of ${Object.keys(allowedValues).join(', ')}`;
}
