import { madeOnce } from '../base/made-once.ts';
import type { ItemStructure } from './item-models.ts';

/** Fields that belong together, in their order. */
interface FieldGroup {
  readonly name: string;
  readonly label: string;
  readonly fields: readonly string[];
}

/** A group of a form. */
export interface FormFields extends FieldGroup {
  /** The fields that follow, which the form offers by name until they have a value. */
  readonly more: readonly string[];
}

/** A group of a page. */
export interface DisplayFields extends FieldGroup {
  /** True for a panel beside the other groups. */
  readonly isPanel: boolean;
}

/** Texts by the names of fields. */
type FieldTexts = ReadonlyMap<string, string>;

/** The form of a bundle. */
export interface BundleForm {
  /** Empty for a form in the order of the program. */
  readonly groups: readonly FormFields[];
  /** The fields that do not suit items of a structure. */
  readonly notOffered: ReadonlyMap<ItemStructure, readonly string[]>;
  readonly labels: FieldTexts;
  readonly help: FieldTexts;
}

/** The order and the labels of fields on pages for readers. */
export interface BundleDisplay {
  /** Empty for a page with one list of all fields. */
  readonly groups: readonly DisplayFields[];
  readonly labels: FieldTexts;
}

/** The group of fields that no configured group names. It is the last one. */
export const OTHER_FIELDS = { name: '_more', label: 'More' } as const;

interface Labelled {
  readonly name: string;
  readonly label: string;
}

/** Returns the label of a field on pages for readers. */
export function readerLabel({ display }: { readonly display: BundleDisplay }, { name, label }: Labelled): string {
  return display.labels.get(name) ?? label;
}

/** Returns fields in the order of pages for readers. Those that no group names are last, in their own order. */
export function inDisplayOrder<Field extends { readonly name: string }>(
  display: BundleDisplay,
  fields: readonly Field[],
): Field[] {
  const order = displayOrder(display);
  const rank = ({ name }: Field) => order.get(name) ?? order.size;
  return fields.toSorted((a, b) => rank(a) - rank(b));
}

const displayOrder = madeOnce(
  ({ groups }: BundleDisplay) => new Map(groups.flatMap((group) => group.fields).map((name, at) => [name, at])),
);

/** Returns the label of a field in the form of a bundle. */
export function formLabel(
  bundle: { readonly form: BundleForm; readonly display: BundleDisplay },
  field: Labelled,
): string {
  return bundle.form.labels.get(field.name) ?? readerLabel(bundle, field);
}
