import { Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import { findGeneration } from '../../database/dated.ts';
import { paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { resource } from '../../web/check.ts';
import { describe } from '../../web/openapi/describe.ts';
import { VARY_BY_CALLER } from '../../web/respond.ts';

/** Routes of the state of the program, for load balancers and Prometheus. */
export const operationRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.healthcheck, async () => answerHealth(api), {
      check: { formats: 'single' },
      detail: describe({
        operationId: 'getHealth',
        tag: 'operation',
        summary: 'Check whether the repository is available',
        responses: {
          200: { description: 'Available.', headers: ['Cache-Control'], content: { 'text/plain': t.Literal('OK') } },
        },
        failures: [],
      }),
    })
    .get(
      paths.metrics,
      async ({ call }) => {
        call.allow(permissionAccess(call.actor, 'access site reports'));
        const { metrics } = api;
        return new Response(await metrics.metrics(), {
          headers: { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store', Vary: VARY_BY_CALLER },
        });
      },
      {
        check: { formats: 'single' },
        detail: describe({
          operationId: 'getMetrics',
          tag: 'operation',
          summary: 'Read the metrics of the server',
          description: 'In the text format of Prometheus. The metrics of all workers are added up.',
          isForAnyone: false,
          responses: {
            200: {
              description: 'All metrics.',
              headers: ['Cache-Control', 'Vary'],
              content: { 'text/plain': t.String() },
            },
          },
          failures: [403],
        }),
      },
    );

/** Checks the database and every storage. */
async function answerHealth({ services: { database, schemes } }: ApiServices): Promise<Response> {
  try {
    await database.get(findGeneration());
    for (const { storage } of schemes.values()) await storage.check();
  } catch (cause) {
    throw new ServiceError('unavailable', 'The database or the file store is temporarily unavailable.', { cause });
  }
  return new Response('OK', {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
  });
}
