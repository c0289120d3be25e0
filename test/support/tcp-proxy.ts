import { connect, createServer, type Socket } from 'node:net';

/** A connection to a server that can be made to stand still. */
export interface TcpProxy {
  readonly url: string;
  /** Passes nothing on any more, in either direction; connections stay open. */
  pause(): void;
  resume(): void;
  /** Cuts the connections of all clients. New ones are passed on. */
  cut(): void;
  /** Resolves after an action that runs as soon as the clients have sent this number of further bytes. */
  afterSending(bytes: number, action: () => void): Promise<void>;
  stop(): Promise<void>;
}

/** Stands before a server of this machine, whose address is an `http://` one. */
export function startTcpProxy(target: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const outers = new Set<Socket>();
  let isPaused = false;
  let sent = 0;
  let awaited: { readonly at: number; readonly act: () => void } | undefined;
  const count = (bytes: number) => {
    sent += bytes;
    if (awaited === undefined || sent < awaited.at) return;
    const { act } = awaited;
    awaited = undefined;
    act();
  };

  const server = createServer((outer) => {
    const inner = connect({ host: hostname, port: Number(port) });
    outers.add(outer);
    outer.on('close', () => outers.delete(outer));
    for (const [from, to] of [
      [outer, inner],
      [inner, outer],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes: Buffer) => {
        to.write(bytes);
        if (from === outer) count(bytes.byteLength);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        // What it has passed on arrives.
        to.destroySoon();
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
        cut() {
          for (const socket of outers) socket.destroy();
        },
        afterSending: (bytes, action) =>
          new Promise((done) => {
            const act = () => {
              action();
              done();
            };
            awaited = { at: sent + bytes, act };
          }),
        stop() {
          for (const socket of sockets) socket.destroy();
          return new Promise((stopped) => server.close(() => stopped()));
        },
      });
    });
  });
}
