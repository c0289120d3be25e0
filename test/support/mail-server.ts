import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { until } from './until.ts';

/** A mail that a server has got. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** True if it came through TLS. */
  readonly isSecure: boolean;
  readonly user: string | undefined;
  /** The header and the text, decoded. */
  readonly source: string;
}

/** A real mail server on a port of its own. */
export interface MailServer {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
  /** Resolves with the mails once there are so many. */
  received(count: number): Promise<readonly ReceivedMail[]>;
  stop(): Promise<void>;
}

/** Starts a mail server. Without options it has neither TLS nor users. */
export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  const isOpen = options.onAuth === undefined;
  const server = new SMTPServer({
    ...(isOpen && { authOptional: true, disabledCommands: ['AUTH'] }),
    ...(options.key === undefined && { hideSTARTTLS: true }),
    ...options,
    async onData(stream, session, done) {
      const source = decoded(await new Response(stream as unknown as ReadableStream).text());
      const { mailFrom, rcptTo } = session.envelope;
      mails.push({
        from: mailFrom === false ? '' : mailFrom.address,
        to: rcptTo.map(({ address }) => address),
        isSecure: session.secure,
        user: session.user as string | undefined,
        source,
      });
      done();
    },
  });
  // A client that trusts no such certificate ends the connection.
  server.on('error', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = server.server.address() as { port: number };
  return {
    port,
    mails,
    async received(count) {
      await until(() => mails.length >= count);
      return mails;
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Decodes the lines of quoted-printable. */
function decoded(source: string): string {
  return source
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}
