import type { MediaType } from '../model/content-model.ts';
import type { Reading } from '../model/reading.ts';
import { parsePatterns } from './parse-patterns.ts';
import { CONDITION_NAMES, type Condition, type ConditionName } from './rules.ts';
import { CONDITION_SCHEMAS, ConditionNameSchema } from './rules-schema.ts';

/** The key under which a condition has its values, and what it asks for of several if it does not say. */
const FORMS = {
  media_has_term: { key: 'uri', logic: 'and' },
  parent_node_has_term: { key: 'uri', logic: 'and' },
  media_has_type: { key: 'types', logic: 'or' },
  media_has_mimetype: { key: 'mimetypes', logic: 'or' },
} as const satisfies Record<ConditionName, { key: string; logic: Condition['logic'] }>;

interface ConditionFile {
  uri?: readonly string[];
  types?: readonly string[];
  mimetypes?: readonly string[];
  logic?: Condition['logic'];
}

/** Reads a condition. Answers undefined, and has reported why, for one that is none. */
export function parseCondition(
  reading: Reading,
  mediaTypes: ReadonlyMap<string, MediaType>,
  value: unknown,
  path: string[],
): Condition | undefined {
  const { condition } = reading.checkedMap(ConditionNameSchema, value, path);
  if (condition === undefined) return undefined;
  if (!isConditionName(condition)) {
    reading.reportUnknown([...path, 'condition'], 'condition', condition, CONDITION_NAMES);
    return undefined;
  }
  const { key, logic } = FORMS[condition];
  const given = { ...(value as Record<string, unknown>) };
  const isSingle = typeof given[key] === 'string';
  if (isSingle) given[key] = [given[key]];
  const file = reading.checkedMap(CONDITION_SCHEMAS[condition], given, path) as ConditionFile;
  const values = file[key] ?? [];
  const pathOf = (index: number) => (isSingle ? [...path, key] : [...path, key, `${index}`]);
  if (key === 'types') {
    values.forEach((name, index) => {
      if (!mediaTypes.has(name)) reading.reportUnknown(pathOf(index), 'media type', name, mediaTypes.keys());
    });
  }
  return {
    condition,
    values: key === 'mimetypes' ? parsePatterns(reading, values, pathOf) : values,
    logic: file.logic ?? logic,
  };
}

function isConditionName(name: string): name is ConditionName {
  return (CONDITION_NAMES as readonly string[]).includes(name);
}
