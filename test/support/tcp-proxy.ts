import { connect, createServer, type Socket } from 'node:net';

/** A connection to a server that can be made to stand still. */
export interface TcpProxy {
  readonly url: string;
  /** Passes nothing on any more, in either direction; connections stay open. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

/** Stands before a server of this machine, whose address is an `http://` one. */
export function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isPaused = false;

  const server = createServer((outer) => {
    const inner = connect({ host: hostname, port: Number(port) });
    for (const [from, to] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => to.write(bytes));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
      if (isPaused) from.pause();
    }
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve({
        url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
        pause() {
          isPaused = true;
          for (const socket of sockets) socket.pause();
        },
        resume() {
          isPaused = false;
          for (const socket of sockets) socket.resume();
        },
        stop() {
          for (const socket of sockets) socket.destroy();
          return new Promise((stopped) => server.close(() => stopped()));
        },
      });
    });
  });
}
