import { Type as t } from '@sinclair/typebox';
import type { AnyElysia } from 'elysia';
import { ServiceError } from '../../base/errors.ts';
import { paths } from '../../paths.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { describe, HIDDEN, JSON_TYPE, READ_CONDITIONS, versioned } from '../../web/openapi/describe.ts';
import { plainRepresentation } from '../../web/respond.ts';
import type { ApiDescription } from './pages.ts';

/**
 * The description of the API for programs and for readers, including these routes. It is created on the first request and
 * kept: neither the routes nor the content model change while the program runs.
 */
export function openapiRoutes(api: ApiServices, served: () => AnyElysia) {
  let described: Promise<ApiDescription> | undefined;
  const describeOnce = () => {
    described ??= import('./pages.ts').then(({ describeApi }) => describeApi(api, served()));
    return described;
  };
  const check = { formats: 'single' } as const;
  return resource(api)
    .get(
      paths.openapi,
      async ({ call }) => plainRepresentation(call, (await describeOnce()).textFor(call.baseUrl), undefined),
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
    .get(
      paths.openapiPage,
      async ({ call }) => {
        const { overview, policy } = await describeOnce();
        return answerPage(call, overview(), policy);
      },
      {
        check,
        detail: HIDDEN,
      },
    )
    .get(
      paths.openapiSchema,
      async ({ call, params: { shape } }) => {
        const { schema, policy } = await describeOnce();
        return answerPage(call, schema(shape), policy);
      },
      {
        check,
        params: t.Object({ shape: t.String({ description: 'The name of the schema, such as Node.' }) }),
        detail: HIDDEN,
      },
    );
}

function answerPage(call: Call, html: string | undefined, policy: string): Response {
  if (html === undefined) throw new ServiceError('not-found', 'The description of the API has no schema of this name.');
  const response = plainRepresentation(call, html, undefined);
  response.headers.set('Content-Type', 'text/html; charset=utf-8');
  response.headers.set('Content-Security-Policy', policy);
  return response;
}
