/** Baselines that know nothing of a repository: `body FILE` answers its bytes from memory, `file FILE` streams it. Prints its port. */
const [kind, path = ''] = process.argv.slice(2);
const body = kind === 'body' ? await Bun.file(path).text() : '';
const headers = { 'Content-Type': 'application/json' };
const content = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => (kind === 'body' ? new Response(body, { headers }) : new Response(Bun.file(path))),
});
console.log(content.port);

export {};
