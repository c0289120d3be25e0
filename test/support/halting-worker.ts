import type { ToThread } from '../../src/search/thread/messages.ts';

/** Threads that answer all searches at once but "halt", which waits for "go on" in another one. */
const others = new BroadcastChannel('halting-worker');
const ANSWER = JSON.stringify({ total: 1, items: [], facets: [], decades: [], sort: 'relevance', ignored: [] });
let halted: number | undefined;
let goesOn = false;
others.addEventListener('message', ({ data }: MessageEvent<string>) => {
  // The other thread may have begun after the words were sent.
  if (data === 'halted' && goesOn) others.postMessage('go on');
  if (data === 'go on' && halted !== undefined) postMessage({ id: halted, answer: ANSWER });
});
globalThis.addEventListener('message', ({ data }: MessageEvent<ToThread>) => {
  if (data.type === 'close') process.exit(0);
  if (data.type !== 'task' || data.task.type !== 'search') return;
  const { text } = data.task.query;
  if (text === 'halt') {
    halted = data.id;
    others.postMessage('halted');
    return;
  }
  postMessage({ id: data.id, answer: ANSWER });
  goesOn ||= text === 'go on';
  if (text === 'go on') others.postMessage(text);
});
