import { Elysia } from 'elysia';
import type { TokenVerifier } from '../auth/verify-token.ts';
import { ServiceError } from '../base/errors.ts';
import { createErrorPlugin, renderPlainText } from '../http/error-plugin.ts';
import { recordOf } from '../http/request-log.ts';
import { paths } from '../paths.ts';
import { authenticate } from './authenticate.ts';
import type { ProcessorConfig } from './config/config.ts';
import { type Job, type ProcessingServices, processRemote, processUpload } from './process-file.ts';
import { GetHeaders, PostHeaders, readGet, readPost } from './read-request.ts';

/** An active configuration with its token verifier. A request keeps the one that it began with. */
export interface ProcessorState {
  config: ProcessorConfig;
  verify: TokenVerifier | undefined;
}

/**
 * The routes of the processor. A request passes these checks in this order: host name (`server/processor-port.ts`),
 * method, credentials, headers. The steps after them are in `process-file.ts`.
 */
export function createProcessorApp(current: () => ProcessorState, services: ProcessingServices) {
  const { metrics } = services;
  return (
    new Elysia({ strictPath: true })
      .use(createErrorPlugin(renderPlainText))
      .onRequest(({ request }) => {
        const { failure } = recordOf(request);
        if (failure !== undefined) throw failure;
      })
      .get(paths.healthcheck, () => plain('OK'))
      .all(paths.healthcheck, methodNotAllowed('GET, HEAD'))
      .get(paths.metrics, async () => plain(await metrics.text(), metrics.contentType))
      .all(paths.metrics, methodNotAllowed('GET, HEAD'))
      // Elysia would answer HEAD with the GET route and run a command.
      .head(paths.process, methodNotAllowed('GET, POST'))
      .all(paths.process, methodNotAllowed('GET, POST'))
      // Before validation: a caller without credentials learns nothing about valid requests.
      .derive(async ({ request }) => {
        const { config, verify } = current();
        const caller = await authenticate(request.headers, { verify, forwardAuth: config.forwardAuth });
        return { job: { request, record: recordOf(request), caller, config } satisfies Job };
      })
      .get(paths.process, ({ headers, job }) => processRemote(readGet(headers), job, services), {
        headers: GetHeaders,
      })
      // Only the command reads the body.
      .post(paths.process, ({ headers, job }) => processUpload(readPost(headers), job, services), {
        headers: PostHeaders,
        parse: 'none',
      })
  );
}

function plain(text: string, contentType = 'text/plain; charset=utf-8'): Response {
  return new Response(text, { headers: { 'Content-Type': contentType } });
}

function methodNotAllowed(allow: string) {
  return () => {
    const message = `This address answers ${allow.replace(', ', ' and ')} only.`;
    throw new ServiceError('method-not-allowed', message, { headers: { Allow: allow } });
  };
}
