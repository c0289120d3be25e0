import { nameOf } from '../base/check-shape.ts';
import type { ConfigReader } from '../base/config-reader.ts';
import type { FieldDefinition, Item } from './content-model.ts';
import type { FieldScope } from './field-facts.ts';

/** Returns the items of a default, and reports invalid ones. */
export function checkDefaultValue(
  reader: ConfigReader,
  scope: FieldScope,
  definition: FieldDefinition,
  items: readonly Readonly<Record<string, unknown>>[],
  path: string[],
): Item[] {
  if (definition.cardinality >= 0 && items.length > definition.cardinality) {
    const most = definition.cardinality === 1 ? '1 item' : `${definition.cardinality} items`;
    reader.report(path, `${nameOf(path)} must have at most ${most}, as cardinality says, found ${items.length}`);
  }
  return Array.from(items, (item, index) => {
    const at = [...path, `${index}`];
    const problem = item === undefined ? undefined : problemIn(item, definition, scope);
    if (problem !== undefined) {
      const where = [...at, ...problem.member];
      reader.report(where, `${nameOf(where)} ${problem.message}`);
    } else if (item !== undefined) {
      const refused = scope.refusedDefault(item as Item, definition);
      if (refused) reader.report(at, `${nameOf(at)} cannot be kept: ${refused}`);
    }
    return item as Item;
  }).filter((item) => item !== undefined);
}

function problemIn(
  item: Readonly<Record<string, unknown>>,
  definition: FieldDefinition,
  scope: FieldScope,
): { member: string[]; message: string } | undefined {
  const mains = scope.fieldTypes.get(definition.type)?.mains ?? [];
  if (mains.length === 0) return undefined;
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

/** Returns the expected value of the main member; undefined if it is valid. */
function expectedMain(
  definition: FieldDefinition,
  scope: FieldScope,
  member: string,
  value: unknown,
): string | undefined {
  if (member === 'target_uuid') return typeof value === 'string' ? undefined : 'text';
  return scope.fieldTypes.get(definition.type)?.expectedMain(value, definition, scope);
}
