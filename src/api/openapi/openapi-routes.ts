import { Type as t } from '@sinclair/typebox';
import type { AnyElysia } from 'elysia';
import { ServiceError } from '../../base/errors.ts';
import { paths } from '../../paths.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { resource } from '../check.ts';
import { plainRepresentation } from '../respond.ts';
import { JSON_TYPE, PAGE_TYPE, READ_CONDITIONS, versioned } from './answers.ts';
import { describe } from './describe.ts';
import type { DescribedApi } from './forms.ts';

const page = { [PAGE_TYPE]: t.String({ description: 'A page for people.' }) };

/**
 * The description of the API, for programs and for readers, these routes included. It is made from the app that serves
 * when a client first asks for it, and kept: neither the routes nor the content model change while the program runs.
 */
export function openapiRoutes(api: ApiServices, served: () => AnyElysia) {
  let described: Promise<DescribedApi> | undefined;
  const make = () => {
    described ??= import('./forms.ts').then(({ describeApi }) => describeApi(api, served()));
    return described;
  };
  const check = { formats: 'single' } as const;
  return resource(api)
    .get(
      paths.openapi,
      async ({ call }) => plainRepresentation(call, (await make()).textFor(call.baseUrl), undefined),
      {
        check,
        detail: describe({
          operationId: 'getOpenApi',
          tag: 'operation',
          summary: 'Read this description',
          headers: READ_CONDITIONS,
          responses: versioned('OpenAPI 3.1.', { [JSON_TYPE]: t.Object({ openapi: t.Literal('3.1.0') }) }),
          failures: [412],
        }),
      },
    )
    .get(paths.openapiPage, async ({ call }) => answerPage(call, await make(), (pages) => pages.overview()), {
      check,
      detail: describe({
        operationId: 'getOpenApiPage',
        tag: 'operation',
        summary: 'Look through this description',
        headers: READ_CONDITIONS,
        responses: versioned('Every operation.', page, ['Content-Security-Policy']),
        failures: [412],
      }),
    })
    .get(
      paths.openapiShape,
      async ({ call, params: { shape } }) => answerPage(call, await make(), (pages) => pages.shape(shape)),
      {
        check,
        params: t.Object({ shape: t.String({ description: 'Its name among the components, as Node.' }) }),
        detail: describe({
          operationId: 'getOpenApiShapePage',
          tag: 'operation',
          summary: 'Look at one shape of this description',
          headers: READ_CONDITIONS,
          responses: versioned('The members of the shape.', page, ['Content-Security-Policy']),
          failures: [404, 412],
        }),
      },
    );
}

function answerPage(
  call: Call,
  { pages }: DescribedApi,
  find: (pages: DescribedApi['pages']) => string | undefined,
): Response {
  const html = find(pages);
  if (html === undefined) throw new ServiceError('not-found', 'The description of the API has no shape of this name.');
  const response = plainRepresentation(call, html, undefined);
  response.headers.set('Content-Type', 'text/html; charset=utf-8');
  response.headers.set('Content-Security-Policy', pages.policy);
  return response;
}
