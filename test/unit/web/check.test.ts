import { expect, it } from 'bun:test';
import type { ApiServices } from '../../../src/web/api-services.ts';
import { resource, rulesOf } from '../../../src/web/check.ts';
import { PAGE_FORMATS } from '../../../src/web/formats.ts';
import { isHidden } from '../../../src/web/openapi/describe.ts';

const app = () => resource({} as ApiServices);
const handler = () => new Response('');

it('refuses a route of programs without a description', () => {
  expect(() => app().get('/undescribed', handler, { check: {} })).toThrow('a route of programs has no description');
});

it.each([
  ['a page', { formats: PAGE_FORMATS }],
  ['the form of a page', { form: 'signed' }],
] as const)('leaves %s out of the description of the API', (_name, check) => {
  const [route] = app().post('/page', handler, { check }).routes;
  expect(route && [rulesOf(route), isHidden(route.hooks.detail)]).toEqual([check, true]);
});
