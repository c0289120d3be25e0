import { paths } from '../paths.ts';
import { permissionAccess } from '../repository/access.ts';
import { metrics } from './openapi/describe-derivatives.ts';
import { VARY_BY_CALLER } from './respond.ts';
import type { Route } from './routes.ts';

/** The figures of the process for Prometheus, which says who it is with a name and password. */
export const metricsRoute: Route = {
  method: 'GET',
  path: paths.metrics,
  hasFormats: false,
  description: metrics,
  async answer(call) {
    call.allow(permissionAccess(call.actor, 'access site reports'));
    const { metrics } = call.api;
    return new Response(await metrics.metrics(), {
      headers: { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store', Vary: VARY_BY_CALLER },
    });
  },
};
