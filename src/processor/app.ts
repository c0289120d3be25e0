import { Elysia } from 'elysia';
import type { TokenVerifier } from '../auth/verify-token.ts';
import { ServiceError } from '../base/errors.ts';
import { createErrorPlugin, renderPlainText } from '../http/error-plugin.ts';
import { recordOf } from '../http/request-log.ts';
import { paths } from '../paths.ts';
import { authenticate } from './authenticate.ts';
import type { ProcessorConfig } from './config.ts';
import { type Job, type ProcessingServices, processRemote, processUpload } from './process-file.ts';
import { GetHeaders, PostHeaders, readGet, readPost } from './read-request.ts';

/** A configuration in force, with what was built from it. A request keeps the one it began with. */
export interface ProcessorState {
  config: ProcessorConfig;
  verify: TokenVerifier | undefined;
}

/** The routes of the processor (spec: processor, "Endpoints"). */
export function createProcessorApp(current: () => ProcessorState, services: ProcessingServices) {
  const { metrics } = services;
  return (
    new Elysia({ strictPath: true })
      .use(createErrorPlugin(renderPlainText))
      .get(paths.healthcheck, () => plain('OK'))
      .all(paths.healthcheck, methodNotAllowed('GET, HEAD'))
      .get(paths.metrics, async () => plain(await metrics.text(), metrics.contentType))
      .all(paths.metrics, methodNotAllowed('GET, HEAD'))
      // Elysia answers HEAD with the GET route, which would run a command for nothing.
      .head(paths.process, methodNotAllowed('GET, POST'))
      .all(paths.process, methodNotAllowed('GET, POST'))
      // Before validation, so that a stranger learns nothing about what a valid request is.
      .derive(async ({ request }) => {
        const { config, verify } = current();
        const caller = await authenticate(request.headers, { verify, forwardAuth: config.forwardAuth });
        return { job: { request, record: recordOf(request), caller, config } satisfies Job };
      })
      .get(
        paths.process,
        ({ headers, job }) => {
          const asked = readGet(headers);
          job.record.facts.msgId = asked.msgId;
          return processRemote(asked, job, services);
        },
        { headers: GetHeaders },
      )
      .post(
        paths.process,
        ({ headers, job }) => {
          const asked = readPost(headers);
          job.record.facts.msgId = asked.msgId;
          return processUpload(asked, job, services);
        },
        // Nothing but the command may read the body.
        { headers: PostHeaders, parse: 'none' },
      )
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
