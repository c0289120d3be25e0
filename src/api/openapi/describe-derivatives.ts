import { Type as t } from '@sinclair/typebox';
import type { RouteDescription } from '../route-description.ts';
import { jsonOf, PAGE_QUERY } from './answers.ts';
import { jobState } from './derivative-shapes.ts';
import { CONTENT_HEADERS } from './headers.ts';
import { entityId } from './scalars.ts';

/** What is made of source files, and how far that is. */

const params = t.Object({ job: entityId('The id of the job.') });

export const listDerivatives: RouteDescription = {
  operationId: 'listDerivatives',
  tag: 'derivatives',
  summary: 'List derivatives that are made, or were',
  description:
    'The newest first, fifty on a page, and how many there are in each state. Those that ended first are forgotten.',
  isForAnyone: false,
  query: t.Object({
    state: t.Optional({ ...jobState, description: 'Those in this state.' }),
    action: t.Optional(t.String({ description: 'Those of this action of the rules.' })),
    node: t.Optional(entityId('Those of this node.')),
    items_per_page: t.Optional(t.Integer({ minimum: 1, maximum: 500, description: 'How many are on a page.' })),
    ...PAGE_QUERY,
  }),
  responses: {
    200: { description: 'One page of them.', headers: CONTENT_HEADERS, content: jsonOf('Derivatives') },
  },
  failures: [403],
};

export const readDerivative: RouteDescription = {
  operationId: 'getDerivative',
  tag: 'derivatives',
  summary: 'Read all about one derivative',
  isForAnyone: false,
  params,
  responses: {
    200: { description: 'With its event.', headers: CONTENT_HEADERS, content: jsonOf('DerivativeInFull') },
  },
  failures: [403, 404],
};

export const retryDerivative = changeOf(
  'retryDerivative',
  'Try a derivative again',
  'At once, with all attempts before it. One that runs, is done or was cancelled is answered with 409.',
);

export const cancelDerivative = changeOf(
  'cancelDerivative',
  'Cancel a derivative',
  'What is made of it at this moment is not stored. One that is done or was cancelled is answered with 409.',
);

function changeOf(operationId: string, summary: string, description: string): RouteDescription {
  return {
    operationId,
    tag: 'derivatives',
    summary,
    description,
    isForAnyone: false,
    params,
    responses: {
      200: { description: 'As it is now.', headers: CONTENT_HEADERS, content: jsonOf('DerivativeInFull') },
    },
    failures: [403, 404, 409],
  };
}

export const metrics: RouteDescription = {
  operationId: 'getMetrics',
  tag: 'operation',
  summary: 'Read the figures of the process',
  description: 'For Prometheus, in its text format. Derivatives that are queued are counted for all processes.',
  isForAnyone: false,
  responses: {
    200: {
      description: 'Every figure.',
      headers: ['Cache-Control', 'Vary'],
      content: { 'text/plain': t.String() },
    },
  },
  failures: [403],
};
