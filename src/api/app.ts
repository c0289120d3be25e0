import { Elysia } from 'elysia';
import { ServiceError } from '../base/errors.ts';
import { createErrorPlugin } from '../http/error-plugin.ts';
import type { View } from '../model/views.ts';
import { paths } from '../paths.ts';
import { actionRoutes } from './action-routes.ts';
import { aliasRoutes } from './alias-routes.ts';
import type { ApiServices } from './api-services.ts';
import { createConfigRoutes } from './config-routes.ts';
import { contentRoutes } from './content-routes.ts';
import { derivativeRoutes } from './derivative-routes.ts';
import { derivativeScanRoutes } from './derivative-scan-routes.ts';
import { downloadRoutes } from './download-routes.ts';
import { fileRoutes } from './file-routes.ts';
import { listRoutes } from './list-routes.ts';
import { mediaSourceRoutes } from './media-source-routes.ts';
import { metricsRoute } from './metrics-routes.ts';
import { healthcheck } from './openapi/describe-operation.ts';
import { createOpenapiRoutes } from './openapi/routes.ts';
import { pageRoutes } from './page-routes.ts';
import { redirectRoutes } from './redirect-routes.ts';
import { createRenderError } from './render-error.ts';
import { revisionRoutes } from './revision-routes.ts';
import { createRoutes, type Route } from './routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { settingRoutes } from './setting-routes.ts';
import { tokenRoutes } from './token-routes.ts';
import { userRoutes } from './user-routes.ts';
import { createViewRoutes } from './view-routes.ts';
import { workbenchRoutes } from './workbench-routes.ts';

/** Everything that the repository answers over HTTP. */
export function createApi(api: ApiServices) {
  return new Elysia()
    .use(createErrorPlugin(createRenderError(api)))
    .use(createRoutes(api, allRoutes(api.services.model.views.values())));
}

/** Every route, those of the lists that a site has configured and the description of them all included. */
export function allRoutes(views: Iterable<View> = []): readonly Route[] {
  const routes: readonly Route[] = [
    ...contentRoutes,
    ...mediaSourceRoutes,
    ...fileRoutes,
    ...downloadRoutes,
    ...pageRoutes,
    ...userRoutes,
    ...listRoutes,
    ...createViewRoutes(views),
    ...createConfigRoutes(),
    ...workbenchRoutes,
    ...aliasRoutes,
    ...redirectRoutes,
    ...revisionRoutes,
    ...actionRoutes,
    ...sessionRoutes,
    ...tokenRoutes,
    ...settingRoutes,
    ...derivativeRoutes,
    ...derivativeScanRoutes,
    metricsRoute,
    ...createOpenapiRoutes(() => routes),
    healthRoute,
  ];
  return routes;
}

/** Whether the database and every storage can be used: what a load balancer asks. */
const healthRoute: Route = {
  method: 'GET',
  path: paths.healthcheck,
  hasFormats: false,
  description: healthcheck,
  async answer({ api }) {
    const { database, schemes } = api.services;
    try {
      await database.client.execute('SELECT 1 FROM setting LIMIT 1');
      for (const { storage } of schemes.values()) await storage.check();
    } catch (cause) {
      throw new ServiceError('unavailable', 'The database or the file store cannot be used at present.', { cause });
    }
    return new Response('OK', {
      headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
    });
  },
};
