import { nameOf } from '../base/check-shape.ts';
import type { Bundle, FieldTypeName, TargetType } from './content-model.ts';
import type { Reading } from './reading.ts';
import { VIEW_BASE_FIELDS, VIEW_PROPERTIES, viewKind } from './view-properties.ts';
import type { ViewField, ViewFilter, ViewOperator, ViewType } from './views.ts';

/** What the fields of one list can be. */
export interface ViewScope {
  readonly entityType: ViewType;
  readonly bundles: readonly Bundle[];
}

const CONFIG = ['node_type', 'media_type', 'taxonomy_vocabulary', 'user_role'];

/** Finds what `title` or `field_linked_agent.rel_type` means in a list. Reports what does not exist, and answers undefined. */
export function parseViewField(
  reading: Reading,
  { entityType, bundles }: ViewScope,
  text: string,
  path: readonly string[],
): ViewField | undefined {
  const [name = '', property, ...rest] = text.split('.');
  const base = Object.hasOwn(VIEW_BASE_FIELDS[entityType], name) ? VIEW_BASE_FIELDS[entityType][name] : undefined;
  const found: { type: FieldTypeName; targetType?: TargetType | undefined } | undefined =
    base ?? bundles.map(({ fieldNamed }) => fieldNamed.get(name)).find((each) => each !== undefined);
  if (found === undefined) {
    const known = bundles.flatMap(({ fields }) => fields.map((field) => field.name));
    reading.reportUnknown(path, 'field', name, new Set([...Object.keys(VIEW_BASE_FIELDS[entityType]), ...known]));
    return undefined;
  }
  const { type, targetType } = found;
  const properties = VIEW_PROPERTIES[type];
  const used = property ?? properties[0];
  if (rest.length > 0 || !properties.includes(used)) {
    const known = properties.join(', ');
    reading.report(path, `${nameOf(path)}: an item of ${name} has no ${text.slice(name.length + 1)}; it has ${known}`);
    return undefined;
  }
  const kind = viewKind(type, used, targetType !== undefined && !CONFIG.includes(targetType));
  return { text, name, property: used, type, targetType: used === 'target_id' ? targetType : undefined, kind };
}

/** A field with how it is compared. Only texts can be looked into. */
export function parseViewFilter(
  reading: Reading,
  scope: ViewScope,
  { field: text, operator = 'equals' }: { field?: string; operator?: ViewOperator },
  path: readonly string[],
): ViewFilter | undefined {
  const field = text === undefined ? undefined : parseViewField(reading, scope, text, [...path, 'field']);
  if (field === undefined) return undefined;
  if (operator !== 'equals' && field.kind !== 'text') {
    const at = [...path, 'operator'];
    const what = field.kind === 'id' ? 'the id of another entity' : `a ${field.kind}`;
    reading.report(at, `${nameOf(at)}: ${operator} is for text, and ${field.text} is ${what}; leave it out`);
    return undefined;
  }
  return { field, operator };
}
