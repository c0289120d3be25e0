import { Type as t } from '@sinclair/typebox';
import type { RouteDescription } from '../route-description.ts';
import { JSON_TYPE, jsonOf, PAGE_TYPE, READ_CONDITIONS, versioned, WRITE_CONDITIONS } from './answers.ts';
import { VERSION_HEADERS } from './headers.ts';

/** The state, the settings and the description of the repository. */

export const healthcheck: RouteDescription = {
  operationId: 'getHealth',
  tag: 'operation',
  summary: 'Ask whether the repository can be used',
  responses: {
    200: { description: 'It can.', headers: ['Cache-Control'], content: { 'text/plain': t.Literal('OK') } },
  },
  failures: [],
};

export const readSettings: RouteDescription = {
  operationId: 'getCoreSettings',
  tag: 'operation',
  summary: 'Read the settings',
  isForAnyone: false,
  headers: READ_CONDITIONS,
  responses: versioned('The settings as they are now.', jsonOf('Settings')),
  failures: [403, 412],
};

export const changeSettings: RouteDescription = {
  operationId: 'changeCoreSettings',
  tag: 'operation',
  summary: 'Change settings',
  description: 'In force for the next request.',
  headers: WRITE_CONDITIONS,
  body: jsonOf('SettingsChange'),
  responses: {
    200: { description: 'The settings as they are now.', headers: VERSION_HEADERS, content: jsonOf('Settings') },
  },
  failures: [403, 409, 412, 413, 422, 507],
};

export const apiDocument: RouteDescription = {
  operationId: 'getOpenApi',
  tag: 'operation',
  summary: 'Read this description',
  headers: READ_CONDITIONS,
  responses: versioned('OpenAPI 3.1.', { [JSON_TYPE]: t.Object({ openapi: t.Literal('3.1.0') }) }),
  failures: [412],
};

const page = { [PAGE_TYPE]: t.String({ description: 'A page for people.' }) };

export const apiPage: RouteDescription = {
  operationId: 'getOpenApiPage',
  tag: 'operation',
  summary: 'Look through this description',
  headers: READ_CONDITIONS,
  responses: versioned('Every operation.', page, ['Content-Security-Policy']),
  failures: [412],
};

export const apiShapePage: RouteDescription = {
  operationId: 'getOpenApiShapePage',
  tag: 'operation',
  summary: 'Look at one shape of this description',
  params: t.Object({ shape: t.String({ description: 'Its name among the components, as Node.' }) }),
  headers: READ_CONDITIONS,
  responses: versioned('The members of the shape.', page, ['Content-Security-Policy']),
  failures: [404, 412],
};
