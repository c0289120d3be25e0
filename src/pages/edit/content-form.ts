import { ServiceError } from '../../base/errors.ts';
import type { Violation } from '../../field-types/field-type.ts';
import { statusOf } from '../../http/error-status.ts';
import type { Bundle, ContentModel, FieldValues, MediaType } from '../../model/content-model.ts';
import { entityPath } from '../../paths.ts';
import type { LinkedType } from '../../repository/access-rule.ts';
import { actorAt } from '../../repository/actor-at.ts';
import { type Content, open } from '../../repository/content/content.ts';
import type { ContentKind } from '../../repository/content/kinds.ts';
import { ValidationFailed } from '../../repository/errors.ts';
import { MEDIA_OF } from '../../repository/relations.ts';
import { addressWithin } from '../../web/address-within.ts';
import type { Call } from '../../web/call.ts';
import { formAnswer } from '../../web/form-answer.ts';
import { accessNotes } from '../access/access-notes.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import type { EditableField } from './arrange-fields.ts';
import type { ContentForm } from './content-form-data.ts';
import { contentFormPage } from './content-form-page.tsx';
import { createNamedTerm } from './create-named-term.ts';
import { formFields } from './form-fields.ts';
import { EMPTY_ROW, type FormButton, type FormState, stateOfFields, withButton } from './form-state.ts';
import { gatherFields } from './gather-content-form.ts';
import type { NewTerms } from './new-terms.ts';
import { type ReadForm, readContentForm } from './read-content-form.ts';
import { stateOfValues } from './rows-of-content.ts';

/** The form of content that exists, or of new content of a bundle. */
export interface FormTarget {
  readonly kind: ContentKind;
  readonly bundle: Bundle;
  /** Undefined for new content. */
  readonly content: Content | undefined;
  readonly fields: readonly EditableField[];
}

/** Returns the form of new content, or of content that exists. */
export function formTarget({ api, actor }: Call, kind: ContentKind, bundle: Bundle, content?: Content): FormTarget {
  const there = content === undefined ? actor.anywhere() : actorAt(actor, kind.type, content.head);
  const fields = formFields(api, there, { kind, bundle, isNew: content === undefined });
  if (content !== undefined || !comesFromFile(bundle)) return { kind, bundle, content, fields };
  return { kind, bundle, content, fields: fields.filter(({ definition }) => definition.name === MEDIA_OF) };
}

/** True for a type of media with a file. Its form asks for the item alone, whose page takes the file. */
export function comesFromFile(bundle: Bundle): boolean {
  return bundle.entityType === 'media' && (bundle as MediaType).sourceField.targetType === 'file';
}

/** The parts of a form beside its fields. */
interface FormNotes {
  readonly status?: number;
  readonly read?: Pick<ReadForm, 'creatable'>;
  readonly violations?: readonly Violation[];
  readonly messages?: readonly FormProblem[];
  readonly conflict?: ContentForm['conflict'];
  readonly isChanged?: boolean;
  /** The field that a button has just opened. */
  readonly added?: string | undefined;
}

/** Answers a form with what is typed in it. */
export async function answerForm(
  call: Call,
  target: FormTarget,
  state: FormState,
  notes: FormNotes = {},
): Promise<Response> {
  const { api, site, actor, formToken } = call;
  const { kind, bundle, content, fields } = target;
  const { status = 200, read, violations = [], messages = [], conflict, isChanged = false, added } = notes;
  const stored = content && open(content);
  const type = kind.type as LinkedType;
  const {
    groups,
    offered,
    structures,
    messages: ofFields,
  } = await gatherFields(call, {
    ...{ kind, bundle, fields, state, violations, added },
    // A form that was sent has rows for each field that it showed.
    opened: isChanged ? new Set(state.keys()) : new Set(),
    creatable: read?.creatable ?? new Map(),
    stored: stored?.values,
    notes: await accessNotes(call, kind, content),
  });
  const path = content && entityPath[type](content.head.id);
  const isPlace = content === undefined && comesFromFile(bundle);
  const form: ContentForm = {
    type,
    heading: stored === undefined ? `Add ${bundle.label}` : `Edit ${stored.draft.label}`,
    action: addressWithin(call.request),
    token: formToken,
    ...(content && { version: content.head.version }),
    groups,
    offered,
    structures,
    formats: editorFormats(api.services.model),
    messages: [...messages, ...ofFields],
    conflict,
    isChanged,
    cancel: path ?? '/',
    ...(isPlace && { next: 'Choose a file' }),
    ...(content && kind.access.remove(actor, content.head).isAllowed && { remove: `${path}/delete` }),
  };
  return formAnswer(contentFormPage(form, site), status);
}

/** Returns the elements with their attributes that each text format of paragraphs in HTML allows. */
export function editorFormats({ textFormats }: Pick<ContentModel, 'textFormats'>): ContentForm['formats'] {
  const inHtml = [...textFormats.values()].filter(
    ({ escapesHtml, convertsLineBreaks, allowedHtml }) =>
      !escapesHtml && !convertsLineBreaks && (allowedHtml === undefined || 'p' in allowedHtml),
  );
  return Object.fromEntries(inHtml.map(({ name, allowedHtml = '*' as const }) => [name, allowedHtml]));
}

/** Returns the form of stored content. The log message is that of the next revision. */
export async function stateOfContent(call: Call, { kind, fields }: FormTarget, content: Content): Promise<FormState> {
  const { draft, values } = open(content);
  const all: FieldValues = { ...values };
  for (const { definition, read } of kind.baseFields)
    if (definition.name !== kind.names.revisionLog) all[definition.name] = read(draft);
  return stateOfValues(call, fields, all);
}

/** Returns the form of new content: the defaults of its fields, and targets that the query names, such as the collection of a new item. */
export function stateOfNew(call: Call, { fields }: FormTarget): Promise<FormState> {
  const { languages } = call.api.services.fields;
  const query = new URL(call.request.url).searchParams;
  const values: FieldValues = { status: [{ value: true }], langcode: [{ value: languages[0] ?? 'und' }] };
  for (const { definition, controls } of fields) {
    const named = query.getAll(definition.name).filter((id) => /^\d{1,15}$/.test(id));
    if (named.length > 0 && controls.some(({ kind }) => kind === 'target'))
      values[definition.name] = named.map((id) => ({ target_id: Number(id) }));
    else if (definition.defaultValue.length > 0) values[definition.name] = [...definition.defaultValue];
  }
  return stateOfValues(call, fields, values);
}

/**
 * Answers a form that was sent: carries out a button for a row, or reads the form and saves it, or shows its preview. Every
 * problem is answered with the form, in which nothing that was typed is lost. `newTerms` takes the names of new terms.
 */
export async function answerSent(
  call: Call,
  target: FormTarget,
  { fields, button }: { readonly fields: URLSearchParams; readonly button: FormButton },
  save: (read: ReadForm) => Promise<Response>,
  newTerms?: NewTerms,
): Promise<Response> {
  const problem =
    button.action === 'create' ? await createNamedTerm(call, target.fields, { fields, button }) : undefined;
  const typed = stateOfFields(fields);
  const removed = removedFields(target, typed);
  if (ROW_ACTIONS.has(button.action))
    return answerForm(call, target, withButton(withRow(typed, button), button), {
      isChanged: true,
      messages: removed,
      added: button.action === 'open' ? button.field : undefined,
    });
  const read = await readContentForm(call, target.fields, typed, newTerms);
  if (button.action === 'create') {
    const row = typed.get(button.field)?.[button.delta] ?? EMPTY_ROW;
    const at = read.state.get(button.field)?.indexOf(row) ?? -1;
    const violations = problem === undefined ? [] : [{ ...problem, path: `${button.field}.${at}.${problem.member}` }];
    const status = problem === undefined ? 200 : 422;
    return answerForm(call, target, read.state, { status, isChanged: true, read, violations, messages: removed });
  }
  if (button.action === 'edit')
    return answerForm(call, target, read.state, { isChanged: true, read, messages: removed });
  const again = (status: number, notes: FormNotes) =>
    answerForm(call, target, read.state, { status, read, isChanged: true, ...notes });
  if (removed.length > 0) return again(422, { messages: removed, violations: read.violations });
  if (read.violations.length > 0) return again(422, { violations: read.violations });
  try {
    return await save(read);
  } catch (error) {
    if (error instanceof ValidationFailed) return again(422, { violations: error.violations });
    if (error instanceof ServiceError && SHOWN_IN_FORM.has(error.kind))
      return again(statusOf(error.kind), { messages: [{ message: error.publicMessage }] });
    throw error;
  }
}

/** The buttons for the rows of a field. */
export const ROW_ACTIONS: ReadonlySet<FormButton['action']> = new Set(['add', 'remove', 'up', 'down', 'open'] as const);
/** The failures after which a user may change the form, or send it once more. */
const SHOWN_IN_FORM: ReadonlySet<ServiceError['kind']> = new Set([
  ...(['unprocessable', 'forbidden', 'conflict', 'database-locked', 'unavailable', 'storage-full'] as const),
]);

/** Adds the row that a page shows for the field of a button if it has no values. */
export function withRow(state: FormState, { field }: FormButton): FormState {
  return (state.get(field)?.length ?? 0) > 0 ? state : new Map(state).set(field, [EMPTY_ROW]);
}

/** Returns the values of fields that the form no longer has: their definition was removed since it was opened. */
function removedFields({ fields }: FormTarget, state: FormState): FormProblem[] {
  const known = new Set(fields.map(({ definition }) => definition.name));
  return [...state].flatMap(([name, rows]): FormProblem[] => {
    const texts = rows.flatMap((row) => Object.values(row.texts)).filter((text) => text !== '' && text !== '0');
    if (known.has(name) || texts.length === 0) return [];
    const values = texts.join(', ');
    return [{ message: `The field "${name}" has been removed from this form. Its value was: ${values}` }];
  });
}
