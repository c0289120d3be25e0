import { type TSchema, Type as t } from '@sinclair/typebox';
import { closed, integerOrNull, oneOf, text, textOrNull, UUID_PATTERN } from '../../field-types/schemas.ts';
import { REPORTED_STATES } from '../../jobs/report-jobs.ts';
import { type Components, shape } from './components.ts';
import { orNull } from './scalars.ts';

const moment = t.String({ format: 'date-time' });
const count = t.Integer({ minimum: 0 });

/** Where a job is on its way. */
export const jobState: TSchema = oneOf(REPORTED_STATES);

const members = {
  id: t.Integer({ minimum: 1 }),
  event_id: t.String({ pattern: UUID_PATTERN, description: 'What the lines of every log name it by.' }),
  action: t.String({ description: 'As the rules name it.' }),
  node: t.Integer({ description: 'Of which node it is.' }),
  media: { ...integerOrNull, description: 'What it is made of; null for all members of the node.' },
  user: t.Integer({ description: 'For whom it is made.' }),
  state: jobState,
  attempts: count,
  created: moment,
  started: { ...orNull(moment), description: 'When it was begun last.' },
  ended: orNull(moment),
  due: { ...orNull(moment), description: 'When it is tried next; null unless it is queued.' },
  status: { ...integerOrNull, description: 'Of the answer to the last attempt that failed.' },
  message: { ...textOrNull, description: 'Why it failed, or what it waits for.' },
  stderr: { ...textOrNull, description: 'The last line that the command wrote.' },
  source_type: t.String({ description: 'The MIME type of what it is made of.' }),
};

const event = t.Object(
  { '@context': text, id: text, type: t.Literal('Activity') },
  { additionalProperties: true, description: 'What processors are told (ActivityStreams 2.0).' },
);

/** Adds the shapes of derivatives that are made. */
export function addDerivativeShapes(components: Components): void {
  components.add('Derivative', closed(members));
  components.add(
    'DerivativeInFull',
    closed({ ...members, event: { ...orNull(event), description: 'Null once the job has ended.' } }),
  );
  const counts = Object.fromEntries(REPORTED_STATES.map((state) => [state, count]));
  components.add('Derivatives', closed({ counts: closed(counts), jobs: t.Array(shape('Derivative')) }));
}
