import { ServiceError } from '../../base/errors.ts';
import { paths } from '../../paths.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { plainRepresentation } from '../respond.ts';
import type { Route } from '../routes.ts';
import { apiDocument, apiPage, apiShapePage } from './describe-operation.ts';
import type { DescribedApi } from './forms.ts';

/**
 * The description of the API, for programs and for people. `routes` answers all of them, these included. It is made
 * when someone asks for it, and kept: neither the routes nor the content model change while the program runs.
 */
export function createOpenapiRoutes(routes: () => readonly Route[]): Route[] {
  let described: Promise<DescribedApi> | undefined;
  const describe = (api: ApiServices) => {
    described ??= import('./forms.ts').then(({ describeApi }) => describeApi(api, routes()));
    return described;
  };
  return [
    {
      method: 'GET',
      path: paths.openapi,
      hasFormats: false,
      description: apiDocument,
      answer: async (call) => {
        const { textFor } = await describe(call.api);
        return plainRepresentation(call, textFor(call.baseUrl), undefined);
      },
    },
    {
      method: 'GET',
      path: paths.openapiPage,
      hasFormats: false,
      description: apiPage,
      answer: async (call) => page(call, await describe(call.api), (pages) => pages.overview()),
    },
    {
      method: 'GET',
      path: paths.openapiShape,
      hasFormats: false,
      description: apiShapePage,
      answer: async (call) => page(call, await describe(call.api), (pages) => pages.shape(call.params.shape ?? '')),
    },
  ];
}

function page(
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
