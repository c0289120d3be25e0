import { Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import { noteBody } from '../../http/compression.ts';
import { strongEtag } from '../../http/etag.ts';
import { checkPreconditions } from '../../http/preconditions.ts';
import { paths } from '../../paths.ts';
import { stale } from '../../repository/errors.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { describe, READ_CONDITIONS } from '../../web/openapi/describe.ts';
import type { HeaderName } from '../../web/openapi/headers.ts';

/** A year. The address changes with the bytes. */
const CACHED = 'public, max-age=31536000, immutable';
const HEADERS: readonly HeaderName[] = [
  ...(['Cache-Control', 'Content-Security-Policy', 'ETag', 'X-Content-Type-Options'] as const),
];
const SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** The route of the files that pages load: style sheets, modules and images of the program. */
export const assetRoutes = (api: ApiServices) =>
  resource(api).get(paths.asset, ({ call, params }) => answerAsset(call, params.hash, params['*']), {
    check: { formats: 'single' },
    params: t.Object({
      hash: t.String({ description: 'The hash of the bytes.' }),
      '*': t.String({ description: 'The name of the file.' }),
    }),
    detail: describe({
      operationId: 'getAsset',
      tag: 'pages',
      summary: 'Read a file that pages load',
      headers: READ_CONDITIONS,
      responses: {
        200: {
          description: 'The bytes of the file.',
          headers: HEADERS,
          content: { '*/*': t.String({ description: 'A style sheet, a module or an image.' }) },
        },
        304: { description: 'The caller has this file.', headers: HEADERS },
      },
      failures: [404, 412],
    }),
  });

function answerAsset({ api, request }: Call, hash: string, name: string): Response {
  const asset = api.findAsset(name);
  if (asset?.hash !== hash) throw new ServiceError('not-found', 'This version of the program has no such file.');
  const etag = strongEtag(hash);
  const headers = {
    'Content-Type': asset.type,
    'Cache-Control': CACHED,
    ETag: etag,
    'X-Content-Type-Options': 'nosniff',
    // An SVG that is opened by its own address is a document.
    ...(asset.type === 'image/svg+xml' && { 'Content-Security-Policy': SVG_POLICY }),
  };
  const outcome = checkPreconditions(request.method, request.headers, { etag });
  if (outcome === 'failed') throw stale();
  if (outcome === 'not-modified') return noteBody(new Response(null, { status: 304, headers }), asset.bytes);
  return noteBody(new Response(asset.bytes, { headers }), asset.bytes, { variants: asset.variants, isFile: true });
}
