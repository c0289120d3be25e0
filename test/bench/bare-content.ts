/**
 * Baselines that know nothing of a repository: `body FILE` returns its bytes from memory, `file FILE` streams it, and
 * `slices FILE BYTES` streams parts of it in turn. Prints its port.
 */
const [kind, path = '', length = ''] = process.argv.slice(2);
const body = kind === 'body' ? await Bun.file(path).text() : '';
const headers = { 'Content-Type': 'application/json' };
const file = Bun.file(path);
const sliceBytes = Number(length);
let offset = 0;

function slice(): Response {
  offset = offset + 2 * sliceBytes > file.size ? 0 : offset + sliceBytes;
  return new Response(file.slice(offset, offset + sliceBytes));
}

const content = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () => {
    if (kind === 'slices') return slice();
    return kind === 'body' ? new Response(body, { headers }) : new Response(Bun.file(path));
  },
});
console.log(content.port);

export {};
