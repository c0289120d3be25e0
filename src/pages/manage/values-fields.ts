import { textMembers, VALUE_OPERATIONS, type ValueOperation } from '../../bulk/values-change.ts';
import type { FieldTypes } from '../../field-types/field-type.ts';
import type { Bundle } from '../../model/content-model.ts';
import type { Call } from '../../web/call.ts';
import type { EditableField } from '../edit/arrange-fields.ts';
import { formFields } from '../edit/form-fields.ts';
import { allTargetBundles } from './bulk-term.ts';
import type { ManagedList } from './content-list-data.ts';

/** A field whose values may be changed in many items, with the first type that has it. */
export interface ValuesField extends EditableField {
  readonly bundle: Bundle;
}

/** The names of the rows of a form: the values that items get or lose, and the value that is replaced. */
export const VALUE = 'value';
export const PRESENT = 'present';

/** The names of the operations, as a form offers them. */
export const OPERATION_LABELS: Readonly<Record<ValueOperation, string>> = {
  set: 'Set: replace all values',
  add: 'Add values',
  replace: 'Replace one value by another',
  find: 'Find and replace in the text',
  remove: 'Remove values',
  clear: 'Remove all values',
};

/** Returns the fields of a kind that the caller may set, by label. */
export function valuesFields({ api, actor }: Call, list: ManagedList): ValuesField[] {
  const kind = api.kinds[list];
  const all = [...kind.bundles.values()].flatMap((bundle) =>
    formFields(api, actor, { kind, bundle, isNew: false }).map((field): ValuesField => ({ ...field, bundle })),
  );
  const fields: ValuesField[] = [];
  for (const [name, same] of Map.groupBy(all, ({ definition }) => definition.name)) {
    const [first] = same;
    if (first === undefined || name === kind.names.revisionLog || name === 'path') continue;
    const targetBundles = allTargetBundles(same.map(({ definition }) => definition));
    fields.push({ ...first, definition: { ...first.definition, targetBundles } });
  }
  return fields.toSorted((a, b) => a.definition.label.localeCompare(b.definition.label, 'en'));
}

/** Returns the operations that a field has. Files are changed by an upload only. */
export function operationsOf({ definition, controls }: ValuesField, types: FieldTypes): readonly ValueOperation[] {
  const hasTexts = textMembers(definition, types).length > 0;
  const isFile = controls.some(({ kind }) => kind === 'file');
  return VALUE_OPERATIONS.filter((operation) => (operation === 'find' ? hasTexts : !isFile));
}

/** Returns the fields of the form of an operation. */
export function shownFields(field: ValuesField, operation: ValueOperation): EditableField[] {
  const { definition } = field;
  const shown = (name: string, changes: { label?: string; cardinality?: number } = {}): EditableField => ({
    ...field,
    definition: { ...definition, name, required: false, ...changes },
    ...{ isFolded: false, unsuited: [], completesAs: definition.name },
  });
  switch (operation) {
    case 'set':
    case 'add':
    case 'remove':
      return [shown(VALUE)];
    case 'replace':
      return [
        shown(PRESENT, { label: 'Present value', cardinality: 1 }),
        shown(VALUE, { label: 'New value', cardinality: 1 }),
      ];
    case 'find':
    case 'clear':
      return [];
    default:
      return operation satisfies never;
  }
}
