import { Type as t } from '@sinclair/typebox';
import type { ReportedJob } from '../../jobs/report-jobs.ts';
import { watchJobs } from '../../jobs/watch-jobs.ts';
import { paths } from '../../paths.ts';
import { nodeAccess } from '../../repository/access.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findOr404 } from '../../web/find-content-or-404.ts';
import { describe } from '../../web/openapi/describe.ts';
import { id } from '../../web/parameters.ts';
import { VARY_BY_CALLER } from '../../web/respond.ts';
import { streamText } from '../../web/stream-text.ts';

const EVENT_STREAM = 'text/event-stream';
/** The time after which a stream ends, in milliseconds: clients connect again, and have the permissions of that time. */
const LIFE_MS = 20_000;
/** The time after which a client connects again, in milliseconds. */
const RETRY_MS = 1_000;

/** The route of the derivatives of a node as they are made: server-sent events (WHATWG HTML, 9.2). */
export const derivativeEventRoutes = (api: ApiServices) =>
  resource(api).get(paths.nodeDerivativeEvents, async ({ call }) => answer(call), {
    check: { formats: 'single' },
    params: t.Object({ node: id('The id of the node.') }),
    detail: describe({
      operationId: 'getDerivativeEvents',
      tag: 'derivatives',
      summary: 'Follow the derivatives of a node',
      description:
        'Server-sent events for callers who may change the node: `jobs` with a list of its jobs, then those that change, and `idle` when none is open. The stream ends after twenty seconds, and when the server stops; clients connect again.',
      isForAnyone: false,
      responses: {
        200: {
          description: 'The events.',
          headers: ['Cache-Control', 'Vary', 'X-Content-Type-Options'],
          content: { [EVENT_STREAM]: t.String({ description: 'Events.' }) },
        },
      },
      failures: [403, 404],
    }),
  });

async function answer(call: Call): Promise<Response> {
  const node = await findOr404(call, 'node');
  call.allow(nodeAccess.update(call.actor, node.head));
  return new Response(streamText(call, events(call, node.head.id)), {
    headers: {
      'Content-Type': EVENT_STREAM,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      // Otherwise nginx collects the events.
      'X-Accel-Buffering': 'no',
      Vary: VARY_BY_CALLER,
    },
  });
}

async function* events({ api, request, actor }: Call, nodeId: number): AsyncGenerator<string, void, void> {
  const signal = AbortSignal.any([request.signal, api.background.stopping, AbortSignal.timeout(LIFE_MS)]);
  const { actions } = api.services.derivatives.rules;
  // The rules may have changed since the job was queued.
  const labelOf = ({ action }: ReportedJob) => actions.get(action)?.label || action;
  const mayRetryAny = actor.may('administer site configuration');
  yield `retry: ${RETRY_MS}\n\n`;
  let wasBusy: boolean | undefined;
  for await (const { changed, isBusy } of watchJobs(api.services, nodeId, signal)) {
    if (changed.length > 0)
      yield event(
        'jobs',
        changed.map((job) => jobOf(job, labelOf(job), mayRetryAny)),
      );
    // A line that clients ignore tells whether the connection lives.
    else yield ': \n\n';
    if (!isBusy && wasBusy !== false) yield event('idle', {});
    wasBusy = isBusy;
  }
}

function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Returns a job for the editors of its node: without what only administrators see. */
function jobOf({ id, action, mediaId, state, attempts, message }: ReportedJob, label: string, mayRetryAny: boolean) {
  return { id, action, label, media: mediaId, state, attempts, message, may_retry: mayRetryAny && state === 'failed' };
}
