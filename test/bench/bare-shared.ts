/** A server that shares its port with others: `bare-shared.ts FILE PORT` answers the bytes of the file from memory. Prints its port. */
const [path = '', port = '0'] = process.argv.slice(2);
const body = await Bun.file(path).text();
const headers = { 'Content-Type': 'application/json' };
const server = Bun.serve({
  port: Number(port),
  hostname: '127.0.0.1',
  reusePort: true,
  fetch: () => new Response(body, { headers }),
});
console.log(server.port);

export {};
