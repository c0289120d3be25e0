import { Type as t } from '@sinclair/typebox';
import type { RouteDescription } from '../route-description.ts';
import { JSON_TYPE } from './answers.ts';
import { CONTENT_HEADERS } from './headers.ts';
import { closed, entityId } from './scalars.ts';

/** The search for derivatives that are missing. */

const count = (description: string) => t.Integer({ minimum: 0, description });
const flag = (description: string) => t.Optional(t.Boolean({ description }));

const options = closed({
  action: t.Optional(t.String({ minLength: 1, description: 'The one action of the rules whose derivatives count.' })),
  node: t.Optional(entityId('The one node whose derivatives count. It is done with one request.')),
  restart: flag('Whether to begin anew, and not to go on where a scan was broken off. For the first request only.'),
  dry_run: flag('Whether to count, and to queue nothing.'),
});

const progress = closed({
  scanned: count('Media that were looked at.'),
  total: count('How many there are to look at, at most.'),
  queued: count('Derivatives that were missing, or older than their source, and are queued now.'),
  queued_before: count('Those that were queued already.'),
  failed_before: count('Those that have failed; they stay as they are.'),
  finished: t.Boolean({ description: 'Whether all of them were looked at.' }),
});

export const scanDerivatives: RouteDescription = {
  operationId: 'scanDerivatives',
  tag: 'derivatives',
  summary: 'Find derivatives that are missing, and queue them',
  description:
    'Goes on for about two seconds where the last request for the same has come to. To be repeated until it has finished.',
  body: { [JSON_TYPE]: options },
  responses: {
    200: {
      description: 'How far it is, all requests of the scan taken together.',
      headers: CONTENT_HEADERS,
      content: { [JSON_TYPE]: progress },
    },
  },
  failures: [403, 413, 422, 507],
};
