import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that the system assigns to connections and servers (Linux: from 32768). */
const [FIRST, LAST] = [12_000, 32_000];

/** Returns a port without a listener, for a program that gets its port as an argument. */
export function freePort(): Promise<number> {
  const port = randomInt(FIRST, LAST);
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(freePort()) : reject(error),
    );
    server.listen(port, () => server.close(() => resolve(port)));
  });
}
