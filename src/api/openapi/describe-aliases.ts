import { Type as t } from '@sinclair/typebox';
import type { RouteDescription } from '../route-description.ts';
import { jsonOf, nothing, READ_CONDITIONS, versioned, WRITE_CONDITIONS } from './answers.ts';
import type { NamedShape } from './components.ts';
import { CONTENT_HEADERS, VERSION_HEADERS } from './headers.ts';
import { entityId } from './scalars.ts';

/** Aliases and redirects. */

const ALIAS = t.Object({ path_alias: entityId('The id of the alias.') });
const REDIRECT = t.Object({ redirect: entityId('The id of the redirect.') });

const made = (description: string, name: NamedShape) => ({
  201: { description, headers: [...CONTENT_HEADERS, 'Location' as const], content: jsonOf(name) },
});

export const createAlias: RouteDescription = {
  operationId: 'createAlias',
  tag: 'addresses',
  summary: 'Give content another address',
  description: 'Older aliases of the content go on answering; it shows the newest.',
  isForAnyone: false,
  body: jsonOf('AliasCreate'),
  responses: made('The alias.', 'Alias'),
  failures: [403, 413, 422, 507],
};

export const readAlias: RouteDescription = {
  operationId: 'getAlias',
  tag: 'addresses',
  summary: 'Read an alias',
  isForAnyone: false,
  params: ALIAS,
  headers: READ_CONDITIONS,
  responses: versioned('The alias.', jsonOf('Alias')),
  failures: [403, 404, 412],
};

export const changeAlias: RouteDescription = {
  operationId: 'changeAlias',
  tag: 'addresses',
  summary: 'Change an alias',
  params: ALIAS,
  headers: WRITE_CONDITIONS,
  body: jsonOf('AliasChange'),
  responses: { 200: { description: 'The alias as it is now.', headers: VERSION_HEADERS, content: jsonOf('Alias') } },
  failures: [403, 404, 409, 412, 413, 422, 507],
};

export const removeAlias: RouteDescription = {
  operationId: 'deleteAlias',
  tag: 'addresses',
  summary: 'Delete an alias',
  description: 'Its content then shows the newest of those that are left.',
  params: ALIAS,
  headers: WRITE_CONDITIONS,
  responses: { 204: nothing('It is gone.') },
  failures: [403, 404, 409, 412],
};

export const createRedirect: RouteDescription = {
  operationId: 'createRedirect',
  tag: 'addresses',
  summary: 'Let an old address lead to a new one',
  description:
    'GET and HEAD of the source are then answered with the status code and Location. No address of the API can be a source.',
  isForAnyone: false,
  body: jsonOf('RedirectCreate'),
  responses: made('The redirect.', 'Redirect'),
  failures: [403, 413, 422, 507],
};

export const readRedirect: RouteDescription = {
  operationId: 'getRedirect',
  tag: 'addresses',
  summary: 'Read a redirect',
  isForAnyone: false,
  params: REDIRECT,
  headers: READ_CONDITIONS,
  responses: versioned('The redirect.', jsonOf('Redirect')),
  failures: [403, 404, 412],
};

export const removeRedirect: RouteDescription = {
  operationId: 'deleteRedirect',
  tag: 'addresses',
  summary: 'Delete a redirect',
  params: REDIRECT,
  headers: WRITE_CONDITIONS,
  responses: { 204: nothing('It is gone.') },
  failures: [403, 404, 412],
};
