import { Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import { findGeneration } from '../../database/dated.ts';
import { paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import { findStoreProblems } from '../../repository/files/store-markers.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { resource } from '../../web/check.ts';
import { describe } from '../../web/openapi/describe.ts';
import { queryOf } from '../../web/parameters.ts';
import { VARY_BY_CALLER } from '../../web/respond.ts';

const HEALTH_QUERY = queryOf({
  deep: t.Optional(t.String({ description: 'Present, with any value, to name stores.' })),
});

/** Routes of the state of the program, for load balancers and Prometheus. */
export const operationRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.healthcheck, async ({ request }) => answerHealth(api, isDeep(request)), {
      check: { formats: 'single' },
      query: HEALTH_QUERY,
      detail: describe({
        operationId: 'getHealth',
        tag: 'operation',
        summary: 'Check whether the repository is available',
        description: 'With `deep`, an error names the stores that cannot be used.',
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

/** `?deep` has no value: the parser of the schema omits it. */
function isDeep({ url }: Request): boolean {
  return new URL(url).searchParams.has('deep');
}

/** Checks the database and every store. With `isDeep`, the error names the stores that cannot be used. */
async function answerHealth({ services: { database, schemes } }: ApiServices, isDeep: boolean): Promise<Response> {
  try {
    await database.get(findGeneration());
    database.requireFiles();
  } catch (cause) {
    throw unavailable(isDeep ? 'The database cannot be used.' : UNAVAILABLE, cause);
  }
  const problems = await findStoreProblems(schemes);
  if (problems.length > 0) {
    const names = problems.map(({ scheme }) => scheme).join(', ');
    const message = `Stores that are not mounted, cannot be written to, or have lost their marker: ${names}.`;
    throw unavailable(isDeep ? message : UNAVAILABLE, problems[0]?.error);
  }
  return new Response('OK', {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' },
  });
}

const UNAVAILABLE = 'The database or the file store is temporarily unavailable.';

function unavailable(message: string, cause: unknown): ServiceError {
  return new ServiceError('unavailable', message, { cause });
}
