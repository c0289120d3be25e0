import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import { isMediaTypePattern } from '../base/media-type.ts';
import type { MediaType } from '../model/content-model.ts';
import { CONDITION_NAMES, type Condition, type ConditionName } from './rules.ts';
import { CONDITION_SCHEMAS, ConditionNameSchema } from './rules-schema.ts';

/** The key of a condition's values, and the default logic for several values. */
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

/** Reads a condition. Returns undefined for an unknown one, which it reports. */
export function parseCondition(
  reader: ConfigReader,
  mediaTypes: ReadonlyMap<string, MediaType>,
  value: unknown,
  path: string[],
): Condition | undefined {
  const { condition } = reader.map(ConditionNameSchema, value, path);
  if (condition === undefined) return undefined;
  if (!isConditionName(condition)) {
    reader.reportUnknown([...path, 'condition'], 'condition', condition, CONDITION_NAMES);
    return undefined;
  }
  const { key, logic } = FORMS[condition];
  const given = { ...(value as Record<string, unknown>) };
  const isSingle = typeof given[key] === 'string';
  if (isSingle) given[key] = [given[key]];
  const file = reader.map(CONDITION_SCHEMAS[condition], given, path) as ConditionFile;
  const values = file[key] ?? [];
  const pathOf = (index: number) => (isSingle ? [...path, key] : [...path, key, `${index}`]);
  if (key === 'types') {
    values.forEach((name, index) => {
      if (!mediaTypes.has(name)) reader.reportUnknown(pathOf(index), 'media type', name, mediaTypes.keys());
    });
  }
  return {
    condition,
    values: key === 'mimetypes' ? parsePatterns(reader, values, pathOf) : values,
    logic: file.logic ?? logic,
  };
}

function isConditionName(name: string): name is ConditionName {
  return (CONDITION_NAMES as readonly string[]).includes(name);
}

/** Returns MIME types, families and `*` in lower case, and reports other values. */
export function parsePatterns(
  reader: ConfigReader,
  values: readonly string[],
  pathOf: (index: number) => string[],
): string[] {
  return values.map((value, index) => {
    const pattern = value.toLowerCase();
    if (!isMediaTypePattern(pattern)) {
      const path = pathOf(index);
      const hint = pattern === '*/*' ? '; write "*" for any type' : '';
      reader.report(
        path,
        `${nameOf(path)} must be a MIME type, a family such as image/*, or "*", found "${value}"${hint}`,
      );
    }
    return pattern;
  });
}
