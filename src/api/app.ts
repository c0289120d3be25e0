import { Elysia } from 'elysia';
import { ServiceError } from '../base/errors.ts';
import { createErrorPlugin, type RenderError } from '../http/error-plugin.ts';
import { paths } from '../paths.ts';
import type { ApiServices } from './api-services.ts';
import { contentRoutes } from './content-routes.ts';
import { downloadRoutes } from './download-routes.ts';
import { fileRoutes } from './file-routes.ts';
import { listRoutes } from './list-routes.ts';
import { mediaSourceRoutes } from './media-source-routes.ts';
import { revisionRoutes } from './revision-routes.ts';
import { createRoutes, type Route } from './routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { settingRoutes } from './setting-routes.ts';
import { tokenRoutes } from './token-routes.ts';
import { userRoutes } from './user-routes.ts';

/** Everything that the repository answers over HTTP. */
export function createApi(api: ApiServices) {
  return new Elysia({ strictPath: true })
    .use(createErrorPlugin(renderJson))
    .use(
      createRoutes(api, [
        ...contentRoutes,
        ...mediaSourceRoutes,
        ...fileRoutes,
        ...downloadRoutes,
        ...userRoutes,
        ...listRoutes,
        ...revisionRoutes,
        ...sessionRoutes,
        ...tokenRoutes,
        ...settingRoutes,
        healthRoute,
      ]),
    );
}

/** Whether the database and every storage can be used: what a load balancer asks. */
const healthRoute: Route = {
  method: 'GET',
  path: paths.healthcheck,
  hasFormats: false,
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

/** An error as the API says it: one member, one sentence (spec: rest-behaviour, 2.1). */
export const renderJson: RenderError = (status, publicMessage, headers) =>
  new Response(JSON.stringify({ message: publicMessage }), {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'must-revalidate, no-cache, private',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    },
  });
