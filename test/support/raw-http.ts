import { connect, createServer, type Socket } from 'node:net';

/** What a raw connection got back, and how it ended. */
export interface RawAnswer {
  text: string;
  closed: boolean;
}

export type RawStep = string | Uint8Array | number | 'half-close' | 'destroy';

/** Speaks bytes to a port: strings are sent, numbers are milliseconds to wait. Ends after `waitMs` of quiet. */
export async function speak(port: number, steps: RawStep[], waitMs = 300): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let closed = false;
  let lastAt = performance.now();
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    lastAt = performance.now();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    closed = true;
  });
  for (const step of steps) {
    if (typeof step === 'number') await Bun.sleep(step);
    else if (step === 'half-close') socket.end();
    else if (step === 'destroy') socket.destroy();
    else socket.write(step);
    lastAt = performance.now();
  }
  while (!closed && performance.now() - lastAt < waitMs) await Bun.sleep(5);
  const answer = { text, closed };
  socket.destroy();
  return answer;
}

/** The body of one answer, out of its chunks if it came in chunks. Throws where these are broken or do not end. */
export function bodyOf(answer: string): string {
  const end = answer.indexOf('\r\n\r\n') + 4;
  if (!/^transfer-encoding: *chunked\r$/im.test(answer.slice(0, end))) return answer.slice(end);
  let body = '';
  for (let at = end; ; ) {
    const [line, size] = /^([\da-f]+)\r\n/i.exec(answer.slice(at)) ?? [];
    if (line === undefined || size === undefined) throw new Error(`no chunk at ${at} of ${JSON.stringify(answer)}`);
    const length = Number.parseInt(size, 16);
    body += answer.slice(at + line.length, at + line.length + length);
    at += line.length + length;
    if (!answer.startsWith('\r\n', at)) throw new Error(`no end of a chunk at ${at} of ${JSON.stringify(answer)}`);
    at += 2;
    if (length > 0) continue;
    if (at !== answer.length) throw new Error(`something follows the last chunk of ${JSON.stringify(answer)}`);
    return body;
  }
}

/** A server that answers each connection with exactly the bytes that `answer` writes. */
export async function rawServer(answer: (socket: Socket, head: string) => void | Promise<void>) {
  const sockets = new Set<Socket>();
  const heads: string[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    socket.once('data', (data) => {
      heads.push(data.toString('latin1'));
      void answer(socket, heads.at(-1) as string);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/`,
    heads,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
