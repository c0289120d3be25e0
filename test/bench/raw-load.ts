import type { Socket } from 'bun';

/**
 * A load of keep-alive connections that send the next request as soon as the last answer is whole. It reads
 * nothing of an answer but its status line and its length, so that the server is what is measured.
 */
export interface Load {
  port: number;
  connections: number;
  seconds: number;
  /** The bytes of the next request of a connection. */
  next: (connection: number, sent: number) => Uint8Array | string;
  /** The statuses that count as right; any other fails the measurement. */
  statuses: readonly number[];
  /** The time from a request of a connection to its next one, in milliseconds, unless its answer takes longer (default: none). */
  everyMs?: number;
}

interface State {
  connection: number;
  sent: number;
  buffered: Buffer;
  startedAt: number;
  /** True if the expected response has no body despite its Content-Length. */
  isHead: boolean;
}

export interface LoadResult {
  perSecond: number;
  /** Milliseconds, of single requests. */
  p50: number;
  p99: number;
  slowest: number;
  /** The number of answers by their status. */
  counts: ReadonlyMap<number, number>;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const NOTHING = Buffer.alloc(0);

/** Puts a server under load for some seconds. Rejects for an answer of another status, or a connection that breaks. */
export async function load({ port, connections, seconds, next, statuses, everyMs }: Load): Promise<LoadResult> {
  const done = Promise.withResolvers<void>();
  const times: number[] = [];
  const counts = new Map<number, number>();
  let isOver = false;

  const send = (socket: Socket<State>) => {
    const { data } = socket;
    const request = next(data.connection, data.sent++);
    data.isHead = typeof request === 'string' && request.startsWith('HEAD ');
    data.startedAt = performance.now();
    socket.write(request);
  };

  const sendNext = (socket: Socket<State>) => {
    if (!isOver) send(socket);
  };

  const sockets = await Promise.all(
    Array.from({ length: connections }, (_, connection) =>
      Bun.connect<State>({
        hostname: '127.0.0.1',
        port,
        data: { connection, sent: 0, buffered: NOTHING, startedAt: 0, isHead: false },
        socket: {
          data(socket, chunk) {
            const { data } = socket;
            data.buffered = data.buffered.length === 0 ? Buffer.from(chunk) : Buffer.concat([data.buffered, chunk]);
            const answer = wholeAnswer(data.buffered, data.isHead);
            if (answer === undefined) return;
            if (!statuses.includes(answer.status)) {
              done.reject(new Error(`status ${answer.status}: ${data.buffered.toString().slice(0, 1000)}`));
              return;
            }
            data.buffered = NOTHING;
            const milliseconds = performance.now() - data.startedAt;
            times.push(milliseconds);
            counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1);
            if (everyMs === undefined) sendNext(socket);
            else setTimeout(sendNext, everyMs - milliseconds, socket);
          },
          close() {
            if (!isOver) done.reject(new Error('the server closed a connection'));
          },
        },
      }),
    ),
  );
  // A client that goes to sleep between two answers has to be woken up for each, at the server's expense.
  const stayAwake = () => {
    if (!isOver) setImmediate(stayAwake);
  };
  // One with pauses sleeps, as people do.
  if (everyMs === undefined) stayAwake();
  const startedAt = performance.now();
  for (const [at, socket] of sockets.entries()) setTimeout(sendNext, ((everyMs ?? 0) * at) / connections, socket);
  const timer = setTimeout(done.resolve, seconds * 1000);
  try {
    await done.promise;
  } finally {
    clearTimeout(timer);
    isOver = true;
    for (const socket of sockets) socket.end();
  }
  const perSecond = times.length / ((performance.now() - startedAt) / 1000);
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { perSecond, p50: at(0.5), p99: at(0.99), slowest: at(1), counts };
}

/** The status of an answer whose body has arrived whole; undefined while it has not. */
function wholeAnswer(bytes: Buffer, isHead: boolean): { status: number } | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const head = bytes.toString('latin1', 0, headEnd);
  const status = Number(head.slice(9, 12));
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (isHead || status === 304 || status === 204) return { status };
  return bytes.length >= headEnd + 4 + Number(length ?? 0) ? { status } : undefined;
}
