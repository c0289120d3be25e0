import { recordOf } from '../../http/request-log.ts';
import type { Content } from '../../repository/content/content.ts';
import type { Call } from '../call.ts';
import { json } from '../respond.ts';

/** So much of a list is gathered before anything is sent: a failure until then still has a status. */
const WHOLE_BATCHES = 2;

/** The JSON text of an entry. */
type EntryOf = (content: Content) => string;

/** What the caller may see of a list; a long one is written as it is read, for a collection may have any number of members. */
export async function answerList(
  call: Call,
  found: AsyncIterable<Content[]> | Content[],
  entryOf: EntryOf,
): Promise<Response> {
  if (Array.isArray(found)) return json(`[${shown(call, found, entryOf).join(',')}]`);
  const batches = found[Symbol.asyncIterator]();
  const entries: string[] = [];
  // Most lists are one batch.
  for (let count = 0; count < WHOLE_BATCHES; count++) {
    const next = await batches.next();
    if (next.done) return json(`[${entries.join(',')}]`);
    entries.push(...shown(call, next.value, entryOf));
  }
  if (call.request.method === 'HEAD') return json('');
  recordOf(call.request).allowSilence();
  return json(streamOfList(call, entries, batches, entryOf));
}

function shown(call: Call, batch: readonly Content[], entryOf: EntryOf): string[] {
  return batch.filter(({ kind, head }) => kind.access.view(call.actor, head).isAllowed).map(entryOf);
}

/** A list that is read as its reader takes it. What fails in between cuts the answer off, so that it is not taken for whole. */
function streamOfList(
  call: Call,
  begun: string[],
  batches: AsyncIterator<Content[]>,
  entryOf: EntryOf,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let text = `[${begun.join(',')}`;
  let isFirst = begun.length === 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const next = await batches.next();
          const entries = next.done ? [] : shown(call, next.value, entryOf);
          if (entries.length > 0) text += `${isFirst ? '' : ','}${entries.join(',')}`;
          if (entries.length > 0) isFirst = false;
          controller.enqueue(encoder.encode(next.done ? `${text}]` : text));
          text = '';
          if (next.done) controller.close();
        } catch (error) {
          call.api.services.warn('a list broke off while it was sent', error);
          controller.error(error);
        }
      },
      async cancel() {
        await batches.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}
