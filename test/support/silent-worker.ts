/** A thread of searches that never answers. */
globalThis.addEventListener('message', ({ data }: MessageEvent<{ type: string }>) => {
  if (data.type === 'close') process.exit(0);
});
