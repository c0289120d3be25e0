import { Fragment, h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { fileNameOf } from '../../field-types/display/addresses.ts';
import { textOf } from '../../field-types/page-view.ts';
import { textOfMarkup } from '../../field-types/text-without-markup.ts';
import type { FieldDefinition } from '../../model/content-model.ts';
import type { View } from '../view.ts';
import { type ComparedValue, compareValues, type ValueChange } from './compare-values.ts';

/** The base fields in a comparison. Others are internal, or change with every revision. */
const BASE_FIELDS: ReadonlySet<string> = new Set([
  ...['title', 'name', 'langcode', 'status', 'created', 'promote', 'sticky', 'description', 'parent'],
]);

/** A field that differs between two revisions. */
export interface ComparedField {
  readonly name: string;
  readonly label: string;
  readonly changes: readonly ValueChange[];
}

/** Returns the fields that differ, in the order of the document. Values that the caller may not view are left out. */
export function comparedFields(before: View, after: View): ComparedField[] {
  const names = new Set([...Object.keys(before.members), ...Object.keys(after.members)]);
  return [...names].flatMap((name): ComparedField[] => {
    const definition = definitionOf(name, after);
    const changes = definition && compareValues(valuesOf(before, definition), valuesOf(after, definition));
    return changes === undefined ? [] : [{ name, label: definition?.label ?? name, changes }];
  });
}

function definitionOf(name: string, { content: { kind, bundle } }: View): FieldDefinition | undefined {
  return bundle.fieldNamed.get(name) ?? (BASE_FIELDS.has(name) ? kind.baseFieldNamed.get(name)?.definition : undefined);
}

function valuesOf(view: View, definition: FieldDefinition): ComparedValue[] {
  const type = view.source.fieldTypes.of(definition);
  return (view.members[definition.name] ?? []).flatMap((item): ComparedValue[] => {
    const shown = type.show(item, definition, view);
    if (shown === undefined || shown === null || shown === '') return [];
    // Images have no text of their own.
    const text =
      textOfMarkup(renderToString(h(Fragment, null, shown))) || textOf(item.alt) || fileNameOf(String(item.url ?? ''));
    return [{ text, key: JSON.stringify(item) }];
  });
}
