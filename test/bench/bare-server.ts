/** The baseline: a bare `Bun.serve` that spawns `cat` for each request and streams. Prints its port. */
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  maxRequestBodySize: Number.MAX_SAFE_INTEGER,
  fetch(request) {
    const child = Bun.spawn(['cat'], { stdin: request.body ?? 'ignore', stdout: 'pipe', stderr: 'ignore' });
    return new Response(child.stdout);
  },
});
console.log(server.port);
