import { recordOf } from '../../http/request-log.ts';
import type { Content } from '../../repository/content/content.ts';
import type { Call } from '../call.ts';
import { json } from '../respond.ts';

/** Number of batches to read before the response begins: an error until then still gets a status. */
const BUFFERED_BATCHES = 2;

/** Returns an entry as JSON. */
type EntryOf = (content: Content) => string;

/** Returns the entries of a list that the caller may view. Streams a long list: a collection may have any number of members. */
export async function answerList(
  call: Call,
  found: AsyncIterable<Content[]> | Content[],
  entryOf: EntryOf,
  headers: Record<string, string> = {},
): Promise<Response> {
  const answer = (body: string | ReadableStream<Uint8Array>) => json(body, 200, headers);
  if (Array.isArray(found)) return answer(`[${shown(call, found, entryOf).join(',')}]`);
  const batches = found[Symbol.asyncIterator]();
  const entries: string[] = [];
  for (let count = 0; count < BUFFERED_BATCHES; count++) {
    const next = await batches.next();
    if (next.done) return answer(`[${entries.join(',')}]`);
    entries.push(...shown(call, next.value, entryOf));
  }
  if (call.request.method === 'HEAD') return answer('');
  recordOf(call.request).allowSilence();
  return answer(streamOfList(call, entries, batches, entryOf));
}

function shown(call: Call, batch: readonly Content[], entryOf: EntryOf): string[] {
  return batch.filter(({ kind, head }) => kind.access.view(call.actor, head).isAllowed).map(entryOf);
}

/** Returns a list as a stream. An error aborts the response, so that the client notices that it is incomplete. */
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
          call.api.services.warn('the response with a list was interrupted', error);
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
