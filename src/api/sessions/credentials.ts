import { Type as t } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { malformed, type ServiceError } from '../../base/errors.ts';
import { readSignInForm, type SignInForm } from '../../pages/account/sign-in-form.tsx';
import { formBody } from '../../web/form-body.ts';
import { lenientBody } from '../../web/lenient-body.ts';

const CredentialsJson = t.Object(
  { name: t.String({ minLength: 1 }), pass: t.String({ minLength: 1 }) },
  { additionalProperties: true },
);

/** The name and password of a login, and in a form what follows it. */
export interface Credentials {
  readonly name: string;
  readonly pass: string;
  readonly form?: SignInForm;
}

/** The schema of a login as JSON or as the form of a page. */
export const credentials = formBody<Credentials>(
  (fields) => ({
    name: fields.get('name')?.trim() ?? '',
    pass: fields.get('pass') ?? '',
    form: readSignInForm(fields),
  }),
  lenientBody(CredentialsJson, (body): Credentials => {
    if (!Value.Check(CredentialsJson, body)) throw missing(body);
    return { name: body.name, pass: body.pass };
  }),
);

function missing({ name, pass }: { name?: unknown; pass?: unknown }): ServiceError {
  const isGiven = (value: unknown) => value !== undefined && value !== null && value !== '';
  if (!isGiven(name) && !isGiven(pass)) return malformed('Missing credentials.');
  if (!isGiven(name)) return malformed('Missing credentials.name.');
  if (!isGiven(pass)) return malformed('Missing credentials.pass.');
  return malformed('The members "name" and "pass" must be text.');
}
