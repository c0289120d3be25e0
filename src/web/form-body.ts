import { Kind, type TSchema, type TUnsafe, TypeRegistry, Type as t } from '@sinclair/typebox';
import { isSameToken } from '../auth/session-token.ts';
import { ServiceError } from '../base/errors.ts';
import { type FormLimits, isForm, isFromOtherSite, isFromOwnPage, readFormFields } from '../http/form-body.ts';
import { addressWithin } from './address-within.ts';
import type { Call } from './call.ts';
import { FORM_TOKEN, type PendingForm } from './form-names.ts';

const FORM = 'Form';
// `readFields` has rejected every invalid form.
TypeRegistry.Set(FORM, () => true);

/** The limits of forms, of which those of strangers are read before anything is known of their sender. */
const SMALL_FORM: FormLimits = { maxBytes: 64 * 1024, maxFields: 1_000 };
/** The number of fields of a form with texts, or with rows for many items. It may have the size of a JSON body. */
const MAX_FIELDS = 20_000;
/** The size of a form that the form to sign in carries, encoded a second time: the rest is for its own fields. */
const MAX_CARRIED_BYTES = SMALL_FORM.maxBytes - 8 * 1024;

/** The forms of the rules of a route: see `Rules.form`. */
export type FormKind = 'signed' | 'large' | 'open';

type ReadFields<T> = (fields: URLSearchParams, call: Call) => T;

/**
 * Creates the schema of a form whose fields are not known before. `readFields` parses them, and throws for an invalid form.
 * `json` is the schema of the JSON body that the same route reads.
 */
export function formBody<T>(readFields: ReadFields<T>, json?: TSchema): TUnsafe<T> {
  return t.Unsafe<T>({ [Kind]: FORM, ...json, readFields });
}

/**
 * Reads the form of a request whose caller has access. All but an `open` one require the form token of the session, which
 * pages of other sites do not know. Throws 403 without it, and 413 for a form beyond its limits.
 */
export async function readForm(schema: TSchema | undefined, call: Call, kind: FormKind): Promise<unknown> {
  const { request, api } = call;
  if (isFromOtherSite(request))
    throw new ServiceError('forbidden', 'Forms of other sites are not accepted. Open the page of this site.');
  const limits = kind === 'large' ? { maxBytes: api.maxJsonBytes, maxFields: MAX_FIELDS } : SMALL_FORM;
  const fields = await readFormFields(request, limits);
  if (kind !== 'open') requireFormToken(call, fields);
  fields.delete(FORM_TOKEN);
  return isFormSchema(schema) ? schema.readFields(fields, call) : membersOf(schema, fields);
}

/** Throws 403 for a form without the token of the session. A form of this site is then offered again: its session has ended. */
function requireFormToken(call: Call, fields: URLSearchParams): void {
  const token = fields.get(FORM_TOKEN);
  if (token !== null && isSameToken(token, call.formToken)) return;
  if (isFromOwnPage(call.request)) call.typed = typedForm(call, fields);
  throw new ServiceError('forbidden', 'The form belongs to another session. Open its page again.');
}

/**
 * Runs the access check of a form. If it fails because the session has ended, what was typed is kept for the sign-in page
 * of the answer: a page of this site has sent it.
 */
export async function keepingTyped(call: Call, check: () => Promise<unknown>): Promise<void> {
  try {
    await check();
  } catch (error) {
    const isSignedOut = error instanceof ServiceError && error.kind === 'unauthenticated';
    if (isSignedOut && isForm(call.request) && isFromOwnPage(call.request)) call.typed = await readTyped(call);
    throw error;
  }
}

/** Reads the form of a caller who may not send it, if the form to sign in can carry it. */
async function readTyped(call: Call): Promise<PendingForm> {
  try {
    const { address, fields } = typedForm(call, await readFormFields(call.request, SMALL_FORM));
    const carried = new URLSearchParams({ fields }).toString();
    return { address, fields: carried.length > MAX_CARRIED_BYTES ? undefined : fields };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.kind !== 'too-large') throw error;
    return { address: addressWithin(call.request), fields: undefined };
  }
}

/** The beginning of the names of fields with passwords, which no page repeats. */
const PASSWORD = 'pass';

function typedForm(call: Call, fields: URLSearchParams) {
  fields.delete(FORM_TOKEN);
  for (const name of [...fields.keys()]) if (name.startsWith(PASSWORD)) fields.delete(name);
  return { address: addressWithin(call.request), fields: fields.toString() };
}

interface FormSchema extends TSchema {
  readonly readFields: ReadFields<unknown>;
}

function isFormSchema(schema: TSchema | undefined): schema is FormSchema {
  return schema !== undefined && 'readFields' in schema;
}

/** Returns the fields that a schema declares: all values of an array, otherwise the first one. */
function membersOf(schema: TSchema | undefined, fields: URLSearchParams): Record<string, string | string[]> {
  const members: Record<string, string | string[]> = {};
  const properties: Record<string, TSchema> = schema?.properties ?? {};
  for (const [name, { type }] of Object.entries(properties)) {
    const values = fields.getAll(name);
    const [first] = values;
    if (type === 'array') members[name] = values;
    else if (first !== undefined) members[name] = first;
  }
  return members;
}
