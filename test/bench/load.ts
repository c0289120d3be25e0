import { connect, createServer, type Socket } from 'node:net';

const HEADERS = { 'Content-Type': 'application/octet-stream' };

/** Posts the same body `requests` times from `clients` clients; answers requests per second. */
export async function postMany(
  url: string,
  body: Uint8Array<ArrayBuffer>,
  requests: number,
  clients: number,
): Promise<number> {
  const startedAt = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (next++ < requests) {
        const response = await fetch(url, { method: 'POST', body, headers: HEADERS });
        const { byteLength } = await response.arrayBuffer();
        if (byteLength !== body.byteLength) throw new Error(`${response.status}: ${byteLength} bytes came back`);
      }
    }),
  );
  return requests / ((performance.now() - startedAt) / 1000);
}

/** Posts a file and reads it back; answers MB per second. */
export async function download(url: string, path: string): Promise<number> {
  const file = Bun.file(path);
  const startedAt = performance.now();
  const response = await fetch(url, { method: 'POST', body: file, headers: HEADERS });
  let bytes = 0;
  for await (const chunk of response.body as ReadableStream<Uint8Array>) bytes += chunk.byteLength;
  if (bytes !== file.size) throw new Error(`${bytes} of ${file.size} bytes came back`);
  return bytes / 1e6 / ((performance.now() - startedAt) / 1000);
}

/** Posts a file as fast as it is taken, and reads the answer slowly for some seconds. */
export async function readSlowly(url: string, path: string, bytesPerSecond: number, seconds: number): Promise<void> {
  const abort = new AbortController();
  const response = await fetch(url, { method: 'POST', body: Bun.file(path), headers: HEADERS, signal: abort.signal });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const startedAt = performance.now();
  for (let bytes = 0; performance.now() - startedAt < seconds * 1000; ) {
    bytes += (await reader.read()).value?.byteLength ?? 0;
    await Bun.sleep(Math.max(0, (bytes / bytesPerSecond) * 1000 - (performance.now() - startedAt)));
  }
  abort.abort();
}

/** Posts a body slowly for some seconds. */
export async function postSlowly(url: string, bytesPerSecond: number, seconds: number): Promise<void> {
  const { port } = new URL(url);
  const socket = connect(Number(port), '127.0.0.1');
  const total = bytesPerSecond * seconds;
  const type = HEADERS['Content-Type'];
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: ${total}\r\n\r\n`);
  socket.on('data', () => {});
  await drip(socket, bytesPerSecond, seconds);
  socket.destroy();
}

/** Lets the service fetch from a source that sends slowly for some seconds. */
export async function serveSlowly(
  url: string,
  totalBytes: number,
  bytesPerSecond: number,
  seconds: number,
): Promise<void> {
  const done = Promise.withResolvers<void>();
  const source = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', async () => {
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: ${HEADERS['Content-Type']}\r\nContent-Length: ${totalBytes}\r\n\r\n`,
      );
      await drip(socket, bytesPerSecond, seconds);
      socket.destroy();
      done.resolve();
    });
  });
  await new Promise<void>((resolve) => source.listen(0, '127.0.0.1', resolve));
  const { port } = source.address() as { port: number };
  const request = fetch(url, { headers: { 'Apix-Ldp-Resource': `http://127.0.0.1:${port}/` } });
  const read = request.then((response) => response.arrayBuffer()).catch(() => 'cut, as it must be');
  await done.promise;
  await read;
  source.close();
}

async function drip(socket: Socket, bytesPerSecond: number, seconds: number): Promise<void> {
  const step = Buffer.alloc(bytesPerSecond / 20);
  for (let steps = 0; steps < seconds * 20; steps += 1) {
    socket.write(step);
    await Bun.sleep(50);
  }
}
