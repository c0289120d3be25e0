import type { Control, Option } from '../../field-types/control.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import type { CreatableName } from './new-term-choices.ts';

/** One value of a field in a form. */
export interface FormRow {
  /** The texts of its controls, by member. */
  readonly texts: Readonly<Record<string, string>>;
  /** The members that no control shows, as JSON. */
  readonly rest: string;
  /** The messages about it by member; `''` for the value as a whole. */
  readonly errors: Readonly<Record<string, string>>;
  /** The name of the file that it refers to, and its address. */
  readonly file?: { readonly name: string; readonly path: string | undefined } | undefined;
  /** The name that has no target, and the vocabularies in which the user may create one with it. */
  readonly creatable?: CreatableName | undefined;
}

/** A field of a form. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly isRequired: boolean;
  readonly help?: string | undefined;
  /** A fact about this content that the field depends on, such as a rule of its collection. */
  readonly note?: string | undefined;
  readonly controls: readonly Control[];
  readonly rows: readonly FormRow[];
  /** True if it may have several values. */
  readonly isMultiple: boolean;
  /** True if a further value may be added. Files are added by an upload. */
  readonly isOpen: boolean;
  /** The number of values that may be added here; Infinity without a limit, 0 for files. */
  readonly mostRows: number;
  /** The message about the field as a whole. */
  readonly error?: string | undefined;
  /** The message about a required field without a value. */
  readonly missing?: string | undefined;
  /** The targets of a reference, if they are few enough for a list of choices. */
  readonly targets?: readonly Option[] | undefined;
  /** The path of completions for a reference. */
  readonly completions?: string | undefined;
  /** The structures of items that it does not suit, separated by spaces. */
  readonly unsuited?: string | undefined;
  /** True for a text of a few words, which needs less room than others. */
  readonly isBrief: boolean;
  /** True if its first control gets the focus: it was just added. */
  readonly isAdded: boolean;
}

export interface FormGroup {
  readonly name: string;
  readonly label: string;
  readonly fields: readonly FormField[];
}

/** Fields of a group that the form does not show yet. */
export interface OfferedFields {
  readonly label: string;
  readonly fields: readonly OfferedField[];
}

interface OfferedField extends Pick<FormField, 'name' | 'label' | 'help' | 'unsuited'> {
  /** False if it does not suit the chosen kind of item. */
  readonly isSuited: boolean;
}

/** A field that someone else has changed meanwhile. */
export interface ForeignChange {
  readonly label: string;
  readonly saved: string;
  readonly typed: string;
}

/** The form of a node, a media or a term. */
export interface ContentForm {
  readonly type: LinkedType;
  readonly heading: string;
  /** The path to which it is sent. */
  readonly action: string;
  readonly token: string;
  /** The version of the content when the form was opened. Undefined for new content. */
  readonly version?: number | undefined;
  readonly groups: readonly FormGroup[];
  readonly offered: readonly OfferedFields[];
  /** The structures of the models, by the ids of their terms, which decide on the offered fields. */
  readonly structures: Readonly<Record<number, string>>;
  /** The elements with their attributes that each text format of paragraphs in HTML allows; `*` for all. */
  readonly formats: Readonly<Record<string, Readonly<Record<string, readonly string[]>> | '*'>>;
  readonly messages: readonly FormProblem[];
  /** The changes of others since the form was opened. */
  readonly conflict?: { readonly by: string | undefined; readonly changes: readonly ForeignChange[] } | undefined;
  /** True if it has values that are not saved. */
  readonly isChanged: boolean;
  /** The path of "Cancel". */
  readonly cancel: string;
  /** The name of the only button, for a form that leads to another page. Undefined for one that saves. */
  readonly next?: string | undefined;
  /** The path of the page to delete the content, if the user may. */
  readonly remove?: string | undefined;
}

/** Returns the name of a control, which is also its id. */
export function controlName(field: string, delta: number, member: string): string {
  return `${field}.${delta}.${member}`;
}

/** The member of a row with the members that no control shows. */
export const REST = '_rest';
/** The field with the version of the content when the form was opened. */
export const VERSION = 'form_version';
/** The field with the pressed button. */
export const BUTTON = 'do';
