import { type Static, Type as t } from '@sinclair/typebox';
import { malformed } from '../../base/errors.ts';
import { paths } from '../../paths.ts';
import { accountAccess } from '../../repository/core-right.ts';
import { findPeople, PEOPLE_SORTS, type PeopleFilter } from '../../repository/users/find-people.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { parameter, queryOf } from '../../web/parameters.ts';
import { defineAdminPage } from '../admin/define-admin-page.ts';
import { addAccount, NewAccount, showNewAccount } from './add-account.ts';
import { peoplePage } from './people-page.tsx';

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

/** The list of accounts, and the form for a new one. */
export const peopleAdminPage = defineAdminPage({
  path: paths.users,
  label: 'People',
  description: 'The accounts of this repository.',
  permission: accountAccess,
  routes: (api, access) =>
    resource(api)
      .get(paths.users, ({ call, query }) => list(call, query), {
        check: { formats: PAGE_FORMATS, access },
        query: Filter,
      })
      .get(paths.userAdd, ({ call }) => showNewAccount(call), { check: { formats: PAGE_FORMATS } })
      .post(paths.userAdd, ({ call, body }) => addAccount(call, body), {
        check: { form: 'signed', formats: PAGE_FORMATS, access },
        body: NewAccount,
      }),
});

async function list(call: Call, query: Static<typeof Filter>): Promise<Response> {
  const { api, site } = call;
  const { q, role, status, sort = 'name', page } = query;
  const filter: PeopleFilter = { text: q?.trim() || undefined, role, status, sort, page: Number(page ?? 0) };
  const { database, model } = api.services;
  const people = await findPeople(database, filter);
  const roles = [...model.roles.values()].map(({ name, label }) => ({ name, label }));
  return formAnswer(peoplePage({ ...people, filter, roles }, site));
}
