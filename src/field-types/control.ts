import type { TextCheck } from './text-check.ts';

/** A value of a choice with its name. */
export interface Option {
  readonly value: string;
  readonly label: string;
}

interface ControlBase {
  /** The member of a submitted item, which the control holds as text. */
  readonly member: string;
  /** The name of the control beside others of the same value. Undefined for the only one, which has the name of its field. */
  readonly label?: string;
  readonly help?: string;
  /** The heading of the closed part of the form in which the control is, with its neighbours that have the same one. */
  readonly fold?: string;
}

/** One line of text. */
export interface TextControl extends ControlBase {
  readonly kind: 'text';
  readonly type?: 'text' | 'email' | 'url' | 'date';
  readonly inputMode?: 'numeric' | 'decimal' | 'url' | 'email';
  readonly maxLength?: number | undefined;
  /** The rules of the text, in the order in which they are reported. That of its length follows from `maxLength`. */
  readonly checks?: readonly TextCheck[];
  /** True for a value of a few characters. */
  readonly isShort?: boolean;
  /** True for a list, whose entries are separated by commas. */
  readonly isList?: boolean;
  /** `edtf`: the page shows the meaning of the date while it is typed. */
  readonly meaning?: 'edtf';
}

/** Several lines of text. */
interface LinesControl extends ControlBase {
  readonly kind: 'lines';
  readonly maxLength?: number | undefined;
  readonly checks?: readonly TextCheck[];
  /** The control with the text format, if it has one: a script may offer its markup as buttons. */
  readonly formatMember?: string;
}

/** One of several values. */
interface ChoiceControl extends ControlBase {
  readonly kind: 'choice';
  readonly options: readonly Option[];
  /** The options that are chosen most, before all of them. */
  readonly frequent?: readonly Option[];
  /** The name of the choice of no value. */
  readonly none?: string;
}

/** Yes or no. */
interface FlagControl extends ControlBase {
  readonly kind: 'flag';
}

/** The target of a reference, by its name. `target_id` is its member. */
interface TargetControl extends ControlBase {
  readonly kind: 'target';
}

/** A file that the value refers to. It is uploaded elsewhere, and shown by its name. */
interface FileControl extends ControlBase {
  readonly kind: 'file';
}

/** A control of the form of one value. All of its values are texts; a flag has `1` or `0`. */
export type Control = TextControl | LinesControl | ChoiceControl | FlagControl | TargetControl | FileControl;

/** The values that a form offers, besides those of the field's definition. */
export interface ControlContext {
  readonly languages: readonly Option[];
  /** The text formats that the user may use. The first one is the default. */
  readonly textFormats: readonly Option[];
  /** The names that access rules may use. */
  readonly access: AccessChoices;
}

/** The context of controls whose values do not matter. */
export const NO_CHOICES: ControlContext = {
  languages: [],
  textFormats: [],
  access: { presets: [], roles: [], networks: [] },
};

/** The names that an access rule may use. */
interface AccessChoices {
  readonly presets: readonly Option[];
  readonly roles: readonly string[];
  readonly networks: readonly string[];
}

/** Returns the options of a map of values to labels. */
export function optionsOf(labels: Readonly<Record<string, string>> | undefined): Option[] {
  return Object.entries(labels ?? {}).map(([value, label]) => ({ value, label }));
}
