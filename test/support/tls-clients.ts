import { connect, type TLSSocket } from 'node:tls';

/** The observations of many clients. */
export interface TlsLoad {
  /** The number of connections with each certificate, by its subject. */
  readonly seen: Map<string, number>;
  /** Everything but a whole answer with 200. */
  readonly failures: string[];
  readonly answers: number;
  /** The number of connections that the server has asked to close. */
  readonly asked: number;
  /** Lets the last requests end. */
  stop(): Promise<void>;
}

/** The failure of a new connection that the system has assigned to a port just before it closes. */
export const RESET = 'connecting: ECONNRESET';

export interface LoadOptions {
  readonly port: number;
  readonly ca: string;
  /** Clients that make a new connection for each request. */
  readonly fresh: number;
  /** Clients that keep a connection until the server closes it. */
  readonly lasting: number;
}

const subjectOf = (socket: TLSSocket) => socket.getPeerCertificate().subject.CN as unknown as string;

/** The subject of the certificate that a new connection gets. */
export function seenCertificate(port: number, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: 'localhost', ca }, () => {
      resolve(subjectOf(socket));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

/** Lets clients ask for `/healthcheck` one request after the other until they are stopped. None asks twice. */
export function startTlsLoad({ port, ca, fresh, lasting }: LoadOptions): TlsLoad {
  const seen = new Map<string, number>();
  const failures: string[] = [];
  const counts = { answers: 0, asked: 0 };
  let isStopped = false;

  function connectOnce(requests: number): Promise<void> {
    return new Promise((resolve) => {
      let left = requests;
      let text = '';
      let phase = 'connecting';
      const socket = connect({ port, host: 'localhost', ca }, () => {
        const subject = subjectOf(socket);
        seen.set(subject, (seen.get(subject) ?? 0) + 1);
        ask();
      });
      const end = (failure?: string) => {
        if (phase === 'over') return;
        if (failure !== undefined) failures.push(`${phase}: ${failure}`);
        phase = 'over';
        socket.destroy();
        resolve();
      };
      const ask = () => {
        text = '';
        phase = left === requests ? 'first request' : 'later request';
        socket.write(
          `GET /healthcheck HTTP/1.1\r\nHost: localhost${left === 1 ? '\r\nConnection: close' : ''}\r\n\r\n`,
        );
      };
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString('latin1');
        if (!text.endsWith('\r\n\r\nOK')) return;
        if (!text.startsWith('HTTP/1.1 200 ')) return end(text);
        counts.answers += 1;
        left -= 1;
        const isAsked = left > 0 && /^connection: close\r$/im.test(text);
        if (isAsked) counts.asked += 1;
        if (left === 0 || isAsked || isStopped) end();
        else ask();
      });
      socket.on('error', (error) => end((error as NodeJS.ErrnoException).code ?? error.message));
      socket.on('close', () => end('closed'));
    });
  }

  const run = async (requests: number) => {
    while (!isStopped) await connectOnce(requests);
  };
  const clients = [...Array(fresh).fill(1), ...Array(lasting).fill(Number.POSITIVE_INFINITY)].map(run);
  return {
    seen,
    failures,
    get answers() {
      return counts.answers;
    },
    get asked() {
      return counts.asked;
    },
    async stop() {
      isStopped = true;
      await Promise.all(clients);
    },
  };
}
