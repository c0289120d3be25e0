import type { JsonObject, JsonValue } from '../base/json.ts';
import { CONFIG_TYPES, type FieldDefinition, type Item } from '../model/content-model.ts';
import { isNothing, toInteger, toText } from './convert-scalar.ts';
import type { FieldType, Violation } from './field-type.ts';
import { nonTexts, notAChoice, wrongType } from './messages.ts';

const CONFIG_NAMES: ReadonlySet<string> = new Set(CONFIG_TYPES);
/** What the repository adds to a reference, in the order of the API. */
const TARGET_MEMBERS = ['target_type', 'target_uuid', 'url'];

/** A reference to an entity or to a piece of configuration. */
export const entityReference: FieldType = {
  main: 'target_id',
  parse: readTarget,
  violations: targetViolations,
  complete: (item) => withTarget(item, {}),
};

/** A reference to a piece of configuration, whatever the field says of its target. */
export const configReference: FieldType = {
  main: 'target_id',
  parse: (raw) => readTarget(raw, { targetType: 'user_role' }),
  violations: (item) => targetViolations(item, { targetType: 'user_role' }),
  complete: (item) => withTarget(item, {}),
};

/** A reference to one revision of an entity. */
export const revisionReference: FieldType = {
  main: 'target_id',
  parse: (raw, definition) => {
    const target = readTarget(raw, definition);
    const revision = isNothing(raw.target_revision_id) ? null : toInteger(raw.target_revision_id);
    return target && { ...target, target_revision_id: revision };
  },
  violations: (item, definition) => [
    ...targetViolations(item, definition),
    ...(item.target_revision_id === null || Number.isSafeInteger(item.target_revision_id ?? null)
      ? []
      : [wrongType('target_revision_id')]),
  ],
  complete: (item) => withTarget(item, { target_revision_id: item.target_revision_id ?? null }),
};

/** A reference with the role that its target plays: `relators:aut`. Without a role it is empty. */
export const typedRelation: FieldType = {
  main: 'target_id',
  parse: (raw, definition) => {
    const target = readTarget(raw, definition);
    if (target === undefined || isNothing(raw.rel_type) || raw.rel_type === false) return undefined;
    return { ...target, rel_type: toText(raw.rel_type) };
  },
  violations: (item, definition) => [
    ...targetViolations(item, definition),
    ...nonTexts(item, ['rel_type']),
    ...relationViolations(item.rel_type, definition),
  ],
  complete: (item) => withTarget(item, { rel_type: item.rel_type ?? null }),
};

/** Whether a field refers to configuration, whose ids are machine names. */
export function refersToConfig({ targetType }: Pick<FieldDefinition, 'targetType'>): boolean {
  return targetType !== undefined && CONFIG_NAMES.has(targetType);
}

/**
 * What an item refers to: by UUID if it has one, otherwise by id; configuration by its id, which is its name.
 * Undefined where it refers to nothing (decisions: lenient in what a write may look like).
 */
export function readTarget(raw: JsonObject, definition: Pick<FieldDefinition, 'targetType'>): Item | undefined {
  const id = raw.target_id;
  const uuid = raw.target_uuid;
  const hasId = !isNothing(id) && id !== false;
  const hasUuid = !isNothing(uuid) && uuid !== false;
  if (refersToConfig(definition)) {
    if (hasId) return { target_id: typeof id === 'number' ? String(id) : id };
  } else if (hasId && !hasUuid) return { target_id: toInteger(id) };
  return hasUuid ? { target_uuid: uuid } : undefined;
}

/** Says when the id or the UUID of a target cannot be one. Whether there is such a target is for the caller to find out. */
export function targetViolations(item: Item, definition: Pick<FieldDefinition, 'targetType'>): Violation[] {
  if (item.target_uuid !== undefined && typeof item.target_uuid !== 'string') return [wrongType('target_uuid')];
  if (item.target_id === undefined) return [];
  const isId = refersToConfig(definition) ? typeof item.target_id === 'string' : Number.isSafeInteger(item.target_id);
  return isId ? [] : [wrongType('target_id')];
}

/** A reference in the order of the API: its id, the members of its type, and what the repository added to it. */
export function withTarget(item: Item, own: Record<string, JsonValue>): Item {
  const whole: Item = item.target_id === undefined ? { ...own } : { target_id: item.target_id, ...own };
  for (const member of TARGET_MEMBERS) {
    const value = item[member];
    if (value !== undefined) whole[member] = value;
  }
  return whole;
}

function relationViolations(type: JsonValue | undefined, { relationTypes }: FieldDefinition): Violation[] {
  if (typeof type !== 'string' || relationTypes === undefined) return [];
  return Object.hasOwn(relationTypes, type) ? [] : [notAChoice('rel_type')];
}
