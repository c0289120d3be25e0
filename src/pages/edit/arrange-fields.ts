import type { Control } from '../../field-types/control.ts';
import type { Bundle, FieldDefinition } from '../../model/content-model.ts';
import { formLabel, OTHER_FIELDS } from '../../model/field-groups.ts';
import type { ItemStructure } from '../../model/item-models.ts';

/** A field of a form, with its controls, in the order of the program. */
export interface PlacedField {
  /** Its label is that of the form. */
  readonly definition: FieldDefinition;
  readonly controls: readonly Control[];
  readonly place: 'main' | 'details' | 'use' | 'publication';
}

/** A field of a form, in its group. */
export interface EditableField extends Omit<PlacedField, 'place'> {
  readonly group: { readonly name: string; readonly label: string };
  readonly help: string | undefined;
  /** True for a field that the form offers by name until it has a value. */
  readonly isFolded: boolean;
  /** The structures of items that it does not suit. */
  readonly unsuited: readonly ItemStructure[];
  /** The field whose names it completes. Undefined for the field itself. */
  readonly completesAs?: string | undefined;
}

/** The groups of a form for which the model has none. */
const PLACES: Readonly<Record<PlacedField['place'], string>> = {
  main: 'Title and kind',
  details: 'Details',
  use: 'How it is shown and used',
  publication: 'Publication',
};

/**
 * Returns the fields of a form in the groups, the order and the words of the model. The label and required fields of the model
 * are never folded, and suit all items.
 */
export function arrangeFields(placed: readonly PlacedField[], bundle: Bundle): EditableField[] {
  const { groups, help, notOffered } = bundle.form;
  const places = new Map(
    groups.flatMap(({ name, label, fields, more }) =>
      [...fields, ...more].map((field, at) => [field, { group: { name, label }, isFolded: at >= fields.length }]),
    ),
  );
  const order = [...places.keys()];
  const arranged = placed.map(({ definition, controls, place }): EditableField => {
    const { name } = definition;
    const own = groups.length === 0 ? { group: { name: place, label: PLACES[place] }, isFolded: false } : undefined;
    const { group, isFolded } = own ?? places.get(name) ?? { group: OTHER_FIELDS, isFolded: true };
    return {
      definition: { ...definition, label: formLabel(bundle, definition) },
      ...{ controls, group, help: help.get(name), isFolded: isFolded && !(definition.required && place === 'main') },
      unsuited: definition.required
        ? []
        : [...notOffered].flatMap(([structure, names]) => (names.includes(name) ? [structure] : [])),
    };
  });
  const rank = ({ definition }: EditableField) => {
    const at = order.indexOf(definition.name);
    return at < 0 ? order.length : at;
  };
  return groups.length === 0 ? arranged : arranged.toSorted((a, b) => rank(a) - rank(b));
}
