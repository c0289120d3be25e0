import { type Static, Type as t } from '@sinclair/typebox';
import { malformed } from '../../base/errors.ts';
import { paths } from '../../paths.ts';
import { accountAccess } from '../../repository/core-right.ts';
import { findPeople, PEOPLE_SORTS, type PeopleFilter } from '../../repository/users/find-people.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { resource } from '../check.ts';
import { PAGE_FORMATS } from '../formats.ts';
import { FORM_HEADERS, formPage } from '../forms/form-answer.ts';
import { describe, HIDDEN, PAGE_CONTENT } from '../openapi/describe.ts';
import { parameter, queryOf } from '../parameters.ts';
import { addAccount, NewAccount, showNewAccount } from './add-account.ts';

const MAX_TEXT_CHARS = 254;
const STATUSES = ['active', 'blocked'] as const;

const choice = <const Word extends string>(words: readonly Word[]) =>
  t.Optional(
    parameter<Word>(
      { enum: words },
      (text) => words.some((word) => word === text),
      (_, name) => malformed(`The query parameter "${name}" must be one of: ${words.join(', ')}.`),
    ),
  );

const Filter = queryOf({
  q: t.Optional(
    parameter(
      { type: 'string', maxLength: MAX_TEXT_CHARS, description: 'A part of the name or of the mail address.' },
      (text) => text.length <= MAX_TEXT_CHARS,
      () => malformed(`The query parameter "q" must not be longer than ${MAX_TEXT_CHARS} characters.`),
    ),
  ),
  role: t.Optional(
    parameter(
      { type: 'string', description: 'The name of a role.' },
      () => true,
      () => undefined,
    ),
  ),
  status: choice(STATUSES),
  sort: choice(PEOPLE_SORTS),
  page: t.Optional(
    parameter(
      { type: 'integer', minimum: 0, description: 'The page, from 0.' },
      (text) => /^\d{1,6}$/.test(text),
      () => malformed('The query parameter "page" must be a number from 0.'),
    ),
  ),
});

/** Routes of the list of accounts, and of the form for a new one. */
export const peopleRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.users, ({ call, query }) => list(call, query), {
      check: { formats: PAGE_FORMATS },
      query: Filter,
      detail: describe({
        operationId: 'getUsersPage',
        tag: 'pages',
        summary: 'Show the list of accounts',
        isForAnyone: false,
        responses: { 200: { description: 'The page.', headers: FORM_HEADERS, content: PAGE_CONTENT } },
        failures: [403],
      }),
    })
    .get(paths.userAdd, ({ call }) => showNewAccount(call), {
      check: { formats: PAGE_FORMATS },
      detail: describe({
        operationId: 'getUserAddPage',
        tag: 'pages',
        summary: 'Show the form for a new account',
        isForAnyone: false,
        responses: { 200: { description: 'The form.', headers: FORM_HEADERS, content: PAGE_CONTENT } },
        failures: [403],
      }),
    })
    .post(paths.userAdd, ({ call, body }) => addAccount(call, body), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: mayAdd },
      body: NewAccount,
      detail: HIDDEN,
    });

async function list(call: Call, query: Static<typeof Filter>): Promise<Response> {
  const { api, actor, site } = call;
  call.allow(accountAccess(actor));
  const { q, role, status, sort = 'name', page } = query;
  const filter: PeopleFilter = { text: q?.trim() || undefined, role, status, sort, page: Number(page ?? 0) };
  const { database, model } = api.services;
  const people = await findPeople(database, filter);
  const roles = [...model.roles.values()].map(({ name, label }) => ({ name, label }));
  return formPage(api.pages.people({ ...people, filter, roles }, site));
}

function mayAdd(call: Call): void {
  call.allow(accountAccess(call.actor));
}
