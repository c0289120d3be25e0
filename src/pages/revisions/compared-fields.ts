import type { FieldDefinition, FieldValues } from '../../model/content-model.ts';
import type { Content } from '../../repository/content/content.ts';

/** The base fields in a comparison. Others are internal, or change with every revision. */
const BASE_FIELDS: ReadonlySet<string> = new Set([
  ...['title', 'name', 'langcode', 'status', 'created', 'promote', 'sticky', 'description', 'parent'],
]);

/** Returns the definition of a field that comparisons show; undefined for another one. */
export function comparedField(name: string, { kind, bundle }: Pick<Content, 'kind' | 'bundle'>) {
  return bundle.fieldNamed.get(name) ?? (BASE_FIELDS.has(name) ? kind.baseFieldNamed.get(name)?.definition : undefined);
}

/** Returns the labels of the fields that differ between two documents of content, in the order of the second one. */
export function differingLabels(content: Content, before: FieldValues, after: FieldValues): string[] {
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...names].flatMap((name) => {
    const definition: FieldDefinition | undefined = comparedField(name, content);
    const isSame = JSON.stringify(before[name] ?? []) === JSON.stringify(after[name] ?? []);
    return definition === undefined || isSame ? [] : [definition.label];
  });
}
