import { type Static, Type as t } from '@sinclair/typebox';
import { closed } from '../../field-types/schemas.ts';
import { type ScanProgress, scan } from '../../jobs/scan.ts';
import { paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { onlyMembers } from '../../web/lenient-body.ts';
import { answered, describe } from '../../web/openapi/describe.ts';
import { json } from '../../web/respond.ts';

/** Maximum duration of a request in milliseconds. The next request continues the scan. */
const MAX_SCAN_MS = 2_000;
/** Maximum size of the options in bytes. */
const MAX_OPTIONS_BYTES = 64 * 1024;

const count = (description: string) => t.Integer({ minimum: 0, description });

const progress = closed({
  scanned: count('Number of checked media.'),
  total: count('Maximum number of media to check.'),
  queued: count('Derivatives queued by the scan: missing ones, and those older than their source.'),
  queued_before: count('Derivatives that were already queued.'),
  failed_before: count('Derivatives that have failed. They are not retried.'),
  finished: t.Boolean({ description: 'True if all media are checked.' }),
});

/** The required type of each option, for errors. */
const MUST_BE = {
  action: 'the name of an action',
  node: 'the id of a node',
  restart: 'true or false',
  dry_run: 'true or false',
} as const;

const flag = (description: string) => t.Optional(t.Boolean({ description }));

const scanOptions = t.Object(
  {
    action: t.Optional(t.String({ minLength: 1, description: 'Check only derivatives of this action of the rules.' })),
    node: t.Optional(
      t.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Check only derivatives of this node. One request completes the scan.',
      }),
    ),
    restart: flag('Start again instead of continuing an interrupted scan. For the first request only.'),
    dry_run: flag('Count without queueing.'),
  },
  onlyMembers(MUST_BE),
);

/** The route of the scan for missing derivatives. Each request does one part of it. */
export const derivativeScanRoutes = (api: ApiServices) =>
  resource(api).post(paths.derivativeScan, async ({ call, body }) => scanOn(call, body), {
    check: {
      json: true,
      maxBytes: MAX_OPTIONS_BYTES,
      access: (call: Call) => call.allow(permissionAccess(call.actor, 'administer site configuration')),
    },
    body: scanOptions,
    detail: describe({
      operationId: 'scanDerivatives',
      tag: 'derivatives',
      summary: 'Queue missing derivatives',
      description:
        'Continues the scan of the last request with the same options, for about two seconds. Repeat it until `finished` is true.',
      responses: answered('The progress of the scan, over all of its requests.', progress),
      failures: [403, 413, 422, 507],
    }),
  });

async function scanOn(call: Call, { dry_run: dryRun, ...options }: Static<typeof scanOptions>): Promise<Response> {
  const { services } = call.api;
  const deadline = performance.now() + MAX_SCAN_MS;
  let last: ScanProgress | undefined;
  try {
    for await (last of scan(services, call.actor, { ...options, dryRun })) {
      // A scan of one node stores no position: a later request could not continue it.
      if (options.node === undefined && performance.now() >= deadline) break;
    }
  } finally {
    if (!dryRun) services.derivatives.wake();
  }
  return json(scanJson(last as ScanProgress));
}

/** Returns the progress of a scan as JSON text. */
function scanJson({ scanned, total, queued, open, failed, isFinished }: ScanProgress): string {
  return JSON.stringify({ scanned, total, queued, queued_before: open, failed_before: failed, finished: isFinished });
}
