import type { Content } from '../../repository/content/content.ts';
import type { Call } from '../../web/call.ts';
import { json } from '../../web/respond.ts';
import { streamText } from '../../web/stream-text.ts';

/** Number of batches to read before the response begins: an error until then still gets a status. */
const BUFFERED_BATCHES = 2;

/** Returns an entry as JSON. */
type EntryOf = (content: Content) => string;

/** Returns the entries of a list that the caller may view. Streams a long list: a collection may have any number of members. */
export async function answerList(
  call: Call,
  contents: AsyncIterable<Content[]> | Content[],
  entryOf: EntryOf,
  headers: Record<string, string> = {},
): Promise<Response> {
  const answer = (body: string | ReadableStream<Uint8Array>) => json(body, 200, headers);
  if (Array.isArray(contents)) return answer(`[${shown(call, contents, entryOf).join(',')}]`);
  const batches = contents[Symbol.asyncIterator]();
  const entries: string[] = [];
  for (let count = 0; count < BUFFERED_BATCHES; count++) {
    const next = await batches.next();
    if (next.done) return answer(`[${entries.join(',')}]`);
    entries.push(...shown(call, next.value, entryOf));
  }
  if (call.request.method === 'HEAD') return answer('');
  return answer(streamText(call, partsOfList(call, entries, { [Symbol.asyncIterator]: () => batches }, entryOf)));
}

function shown(call: Call, batch: readonly Content[], entryOf: EntryOf): string[] {
  return batch.filter(({ kind, head }) => kind.access.view(call.actor, head).isAllowed).map(entryOf);
}

/** Yields the text of a list whose first entries are known. */
async function* partsOfList(
  call: Call,
  begun: readonly string[],
  batches: AsyncIterable<Content[]>,
  entryOf: EntryOf,
): AsyncGenerator<string> {
  yield `[${begun.join(',')}`;
  let isFirst = begun.length === 0;
  for await (const batch of batches) {
    const entries = shown(call, batch, entryOf);
    if (entries.length > 0) yield `${isFirst ? '' : ','}${entries.join(',')}`;
    isFirst &&= entries.length === 0;
  }
  yield ']';
}
