import type { ToThread } from '../../src/search/thread/messages.ts';

/** A thread that throws at the word "crash", ends at "end", and finds one node for any other query. */
globalThis.addEventListener('message', ({ data }: MessageEvent<ToThread>) => {
  if (data.type === 'close') process.exit(0);
  if (data.type !== 'task' || data.task.type !== 'search') return;
  const { text } = data.task.query;
  if (text === 'end') process.exit(1);
  if (text === 'crash') throw new Error('a crash');
  postMessage({
    id: data.id,
    answer: JSON.stringify({ total: 1, items: [], facets: [], decades: [], sort: 'relevance', ignored: [] }),
  });
});
