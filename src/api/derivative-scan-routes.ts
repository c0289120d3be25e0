import { paths } from '../paths.ts';
import { permissionAccess } from '../repository/access.ts';
import { type ScanProgress, scan } from '../repository/derivatives/scan.ts';
import { parseScanOptions } from '../representation/parse-scan-options.ts';
import { scanJson } from '../representation/scan-json.ts';
import type { Call } from './call.ts';
import { scanDerivatives } from './openapi/describe-derivative-scan.ts';
import { json } from './respond.ts';
import type { Route } from './routes.ts';

/** How long a request goes on with a scan: what is left is for the next one. */
const MAX_SCAN_MS = 2_000;
/** Room for every option many times over. */
const MAX_OPTIONS_BYTES = 64 * 1024;

/** The search for derivatives that are missing, a piece with every request. */
export const derivativeScanRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: paths.derivativeScan,
    accepts: ['application/json'],
    description: scanDerivatives,
    answer: scanOn,
  },
];

async function scanOn(call: Call): Promise<Response> {
  call.allow(permissionAccess(call.actor, 'administer site configuration'));
  const { services } = call.api;
  const options = parseScanOptions(await call.json(MAX_OPTIONS_BYTES));
  const deadline = performance.now() + MAX_SCAN_MS;
  let progress: ScanProgress | undefined;
  try {
    for await (progress of scan(services, call.actor, options)) {
      // A scan of one node keeps no position: it ends with this request, or never.
      if (options.node === undefined && performance.now() >= deadline) break;
    }
  } finally {
    if (!options.dryRun) services.derivatives.wake();
  }
  return json(scanJson(progress as ScanProgress));
}
