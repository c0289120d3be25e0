import { type Static, Type as t } from '@sinclair/typebox';
import { closed } from '../../field-types/schemas.ts';
import { type ScanProgress, scan } from '../../jobs/scan.ts';
import { paths } from '../../paths.ts';
import { permissionAccess } from '../../repository/access.ts';
import type { ApiServices } from '../api-services.ts';
import type { Call } from '../call.ts';
import { resource } from '../check.ts';
import { JSON_TYPE } from '../openapi/answers.ts';
import { describe } from '../openapi/describe.ts';
import { CONTENT_HEADERS } from '../openapi/headers.ts';
import { json } from '../respond.ts';
import { ScanOptions } from './scan-options.ts';

/** How long a request goes on with a scan, in milliseconds. The next request continues it. */
const MAX_SCAN_MS = 2_000;
/** The maximum size of the options in bytes: room for every option many times over. */
const MAX_OPTIONS_BYTES = 64 * 1024;

const count = (description: string) => t.Integer({ minimum: 0, description });

const progress = closed({
  scanned: count('Media that were looked at.'),
  total: count('How many there are to look at, at most.'),
  queued: count('Derivatives that were missing, or older than their source, and are queued now.'),
  queued_before: count('Those that were queued already.'),
  failed_before: count('Those that have failed; they stay as they are.'),
  finished: t.Boolean({ description: 'Whether all of them were looked at.' }),
});

/** The search for missing derivatives, one part with each request. */
export const derivativeScanRoutes = (api: ApiServices) =>
  resource(api).post(paths.derivativeScan, async ({ call, body }) => scanOn(call, body), {
    check: {
      json: true,
      maxBytes: MAX_OPTIONS_BYTES,
      access: (call: Call) => call.allow(permissionAccess(call.actor, 'administer site configuration')),
    },
    body: ScanOptions,
    detail: describe({
      operationId: 'scanDerivatives',
      tag: 'derivatives',
      summary: 'Find derivatives that are missing, and queue them',
      description:
        'Goes on for about two seconds where the last request for the same has come to. To be repeated until it has finished.',
      responses: {
        200: {
          description: 'How far it is, all requests of the scan taken together.',
          headers: CONTENT_HEADERS,
          content: { [JSON_TYPE]: progress },
        },
      },
      failures: [403, 413, 422, 507],
    }),
  });

async function scanOn(call: Call, { dry_run: dryRun, ...options }: Static<typeof ScanOptions>): Promise<Response> {
  const { services } = call.api;
  const deadline = performance.now() + MAX_SCAN_MS;
  let last: ScanProgress | undefined;
  try {
    for await (last of scan(services, call.actor, { ...options, dryRun })) {
      // A scan of one node keeps no position: it ends with this request, or never.
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
