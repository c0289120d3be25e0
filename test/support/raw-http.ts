import { connect, createServer, type Socket } from 'node:net';
import { pause } from './pause.ts';
import { until } from './until.ts';

/** The bytes that a raw connection received, and whether the server closed it. */
export interface RawAnswer {
  text: string;
  closed: boolean;
}

export type RawStep = string | Uint8Array | number | 'half-close' | 'destroy' | 'answer';

/** The time for which nothing may follow the last answer, in milliseconds. */
const QUIET_MS = 100;
/** `waitMs` ends the wait. */
const UNLIMITED = { seconds: Number.POSITIVE_INFINITY };

/**
 * Speaks bytes to a port: sends strings, waits for numbers of milliseconds, and at `answer` for one more whole answer.
 * Ends when the connection closes, when all answers are whole, the server does not announce that it closes and nothing
 * follows, or after `waitMs` without a byte.
 */
export async function speak(port: number, steps: RawStep[], waitMs = 10_000): Promise<RawAnswer> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let closed = false;
  let lastAt = performance.now();
  let expected = 1;
  const isHead = typeof steps[0] === 'string' && steps[0].startsWith('HEAD ');
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    lastAt = performance.now();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    closed = true;
  });
  const isOver = (quietMs: number) => {
    const sinceMs = performance.now() - lastAt;
    if (closed || sinceMs > waitMs) return true;
    return sinceMs >= quietMs && countAnswers(text, isHead) >= expected && !/^connection: *close\r$/im.test(text);
  };
  for (const step of steps) {
    if (step === 'answer') {
      await until(() => isOver(0), UNLIMITED);
      expected += 1;
    } else if (typeof step === 'number') await pause(step);
    else if (step === 'half-close') socket.end();
    else if (step === 'destroy') socket.destroy();
    else socket.write(step);
    lastAt = performance.now();
  }
  await until(() => isOver(QUIET_MS), UNLIMITED);
  const answer = { text, closed };
  socket.destroy();
  return answer;
}

/** Returns the number of whole answers, without interim ones such as 100 Continue. */
function countAnswers(text: string, isHead: boolean): number {
  let count = 0;
  for (let at = 0; at < text.length; ) {
    const bodyAt = text.indexOf('\r\n\r\n', at) + 4;
    if (bodyAt < 4) break;
    const head = text.slice(at, bodyAt);
    const status = Number(head.split(' ')[1]);
    const length = /^content-length: *(\d+)\r$/im.exec(head)?.[1];
    if (isHead || status < 200 || status === 204 || status === 304) at = bodyAt;
    else if (length !== undefined) at = bodyAt + Number(length);
    else if (!/^transfer-encoding: *chunked\r$/im.test(head)) break;
    else {
      const found = /(?:^|\r\n)0\r\n\r\n/.exec(text.slice(bodyAt));
      if (found === null) break;
      at = bodyAt + found.index + found[0].length;
    }
    if (at <= text.length && status >= 200) count += 1;
  }
  return count;
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
