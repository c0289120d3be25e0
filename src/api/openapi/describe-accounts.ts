import { Type as t } from '@sinclair/typebox';
import type { RouteDescription } from '../route-description.ts';
import { JSON_TYPE, jsonOf, READ_CONDITIONS, versioned } from './answers.ts';
import { CONTENT_HEADERS, type HeaderName } from './headers.ts';
import { closed, entityId, oneOf, text } from './scalars.ts';

/** Users, sessions and tokens. */

const TEXT_HEADERS: readonly HeaderName[] = ['Cache-Control', 'X-Content-Type-Options'];

export const readUser: RouteDescription = {
  operationId: 'getUser',
  tag: 'accounts',
  summary: 'Read a user',
  description: 'Each caller is shown what concerns them; a password is shown to nobody.',
  params: t.Object({ user: entityId('The id of the user.') }),
  headers: READ_CONDITIONS,
  responses: versioned('The user as the caller may see them.', jsonOf('User'), ['Link']),
  failures: [403, 404, 412],
};

export const logIn: RouteDescription = {
  operationId: 'logIn',
  tag: 'accounts',
  summary: 'Begin a session',
  isForAnyone: true,
  body: {
    [JSON_TYPE]: t.Object({ name: t.String({ minLength: 1 }), pass: t.String({ minLength: 1 }) }),
  },
  responses: {
    200: {
      description: 'The session is in the cookie.',
      headers: [...CONTENT_HEADERS, 'Set-Cookie'],
      content: {
        [JSON_TYPE]: closed({
          current_user: closed({ uid: t.String({ pattern: '^\\d+$' }), roles: t.Array(text), name: text }),
          csrf_token: t.String({ description: 'For X-CSRF-Token.' }),
          logout_token: t.String({ description: 'Ends this session.' }),
        }),
      },
    },
  },
  failures: [403, 413],
};

export const logOut: RouteDescription = {
  operationId: 'logOut',
  tag: 'accounts',
  summary: 'End a session',
  query: t.Object({ token: t.String({ description: 'The `logout_token` of the session.' }) }),
  responses: { 204: { description: 'It is over.', headers: ['X-Content-Type-Options', 'Set-Cookie'] } },
  failures: [403],
};

export const loginStatus: RouteDescription = {
  operationId: 'getLoginStatus',
  tag: 'accounts',
  summary: 'Ask whether the caller is signed in',
  responses: {
    200: { description: '1 or 0.', headers: TEXT_HEADERS, content: { 'text/plain': oneOf(['0', '1']) } },
  },
  failures: [403],
};

export const sessionToken: RouteDescription = {
  operationId: 'getSessionToken',
  tag: 'accounts',
  summary: 'Fetch the X-CSRF-Token of a session',
  responses: {
    200: {
      description: 'The token; without a session one that is good for nothing.',
      headers: TEXT_HEADERS,
      content: { 'text/plain': t.String({ pattern: '^[A-Za-z0-9_-]{43}$' }) },
    },
  },
  failures: [403],
};

export const issueToken: RouteDescription = {
  operationId: 'getToken',
  tag: 'accounts',
  summary: 'Fetch a token for a program',
  description:
    'A JWT, to be sent as `Authorization: Bearer …`. It ends at its `exp`, and with the next change of the password, ' +
    'status or roles of its user. A token cannot be used to get another one.',
  isForAnyone: false,
  responses: {
    200: {
      description: 'The token.',
      headers: CONTENT_HEADERS,
      content: { [JSON_TYPE]: closed({ token: t.String({ pattern: '^[\\w-]+\\.[\\w-]+\\.[\\w-]+$' }) }) },
    },
  },
  failures: [403],
};

export const keySet: RouteDescription = {
  operationId: 'getKeySet',
  tag: 'accounts',
  summary: 'Fetch the public keys of the tokens',
  responses: {
    200: {
      description: 'A JWK set (RFC 7517).',
      headers: CONTENT_HEADERS,
      content: {
        [JSON_TYPE]: closed({
          keys: t.Array(
            closed({
              kty: t.Literal('RSA'),
              n: text,
              e: text,
              kid: text,
              alg: t.Literal('RS256'),
              use: t.Literal('sig'),
            }),
          ),
        }),
      },
    },
  },
  failures: [],
};
