import type { ComponentChild } from 'preact';
import type { FieldDefinition } from '../../model/content-model.ts';
import type { View } from '../view.ts';

/** A field with values that a page shows. */
export interface ShownField {
  readonly name: string;
  readonly label: string;
  readonly values: readonly ComponentChild[];
}

/** Returns the fields that have a value to show to the caller, in the order of the document. */
export function shownFields(view: View): ShownField[] {
  return Object.entries(view.members).flatMap(([name, items]): ShownField[] => {
    const definition = definitionOf(name, view);
    if (definition === undefined) return [];
    const type = view.source.fieldTypes.of(definition);
    const values = items
      .map((item) => type.show(item, definition, view))
      .filter((value) => value !== undefined && value !== '');
    return values.length > 0 ? [{ name, label: definition.label, values }] : [];
  });
}

/** Returns configured fields, and of terms those that describe them. Other base fields are internal. */
function definitionOf(name: string, { content: { kind, bundle } }: View): FieldDefinition | undefined {
  const configured = bundle.fieldNamed.get(name);
  if (configured !== undefined || kind.type !== 'taxonomy_term') return configured;
  const base = kind.baseFieldNamed.get(name)?.definition;
  if (name === 'description') return base;
  return name === 'parent' && base ? { ...base, label: 'Broader term' } : undefined;
}
