import type { ToThread } from '../../src/search/thread/messages.ts';

/** Threads that answer all searches at once but "halt", which waits for "go on" in another one. */
const others = new BroadcastChannel('halting-worker');
const answer = (id: number) =>
  postMessage({
    id,
    answer: JSON.stringify({ total: 1, items: [], facets: [], decades: [], sort: 'relevance', ignored: [] }),
  });
let halted: number | undefined;
others.addEventListener('message', () => {
  if (halted !== undefined) answer(halted);
});
globalThis.addEventListener('message', ({ data }: MessageEvent<ToThread>) => {
  if (data.type === 'close') process.exit(0);
  if (data.type !== 'task' || data.task.type !== 'search') return;
  const { text } = data.task.query;
  if (text === 'halt') halted = data.id;
  else answer(data.id);
  if (text === 'go on') others.postMessage(text);
});
