import { afterEach, describe, expect, it } from 'bun:test';
import { createServer } from 'node:net';
import { createMailer, type MailerOptions, type MailSettings } from '../../../src/mail/mailer.ts';
import { makeCertificate } from '../../support/certificates.ts';
import { type MailServer, startMailServer } from '../../support/mail-server.ts';

const MAIL = { to: 'jane@example.org', subject: 'Réset', text: 'A link:\nhttps://repository.example.org/x\n' };
let servers: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const server of servers) await server.stop();
  servers = [];
});

async function start(...options: Parameters<typeof startMailServer>): Promise<MailServer> {
  const server = await startMailServer(...options);
  servers.push(server);
  return server;
}

function mailerFor(server: string, settings: Partial<MailSettings> = {}, options: Partial<MailerOptions> = {}) {
  const problems: string[] = [];
  const warn = (message: string, cause: unknown) => void problems.push(`${message} ${cause}`);
  const mailer = createMailer(
    { server, from: 'repository@example.org', user: undefined, password: undefined, requireTls: true, ...settings },
    { siteName: () => 'Harbour, "the" archive', warn, ...options },
  );
  return { mailer, problems };
}

describe('a mail', () => {
  it('is sent through STARTTLS with user and password', async () => {
    const { cert, key } = await makeCertificate('localhost');
    const server = await start({
      cert,
      key,
      onAuth: ({ username, password }, _session, done) =>
        password === 'secret' ? done(null, { user: username }) : done(new Error('no')),
    });
    const { mailer, problems } = mailerFor(
      `smtp://localhost:${server.port}`,
      { user: 'repo', password: 'secret' },
      { ca: cert },
    );
    expect({ isSent: await mailer.send(MAIL), problems }).toEqual({ isSent: true, problems: [] });
    const [mail] = await server.received(1);
    expect(mail).toMatchObject({
      isSecure: true,
      user: 'repo',
      from: 'repository@example.org',
      to: ['jane@example.org'],
    });
    expect(mail?.source).toContain('From: "Harbour, \\"the\\" archive" <repository@example.org>');
    expect(mail?.source).toContain('https://repository.example.org/x');
  });

  it('is sent through TLS from the start', async () => {
    const { cert, key } = await makeCertificate('localhost');
    const server = await start({ cert, key, secure: true });
    const { mailer } = mailerFor(`smtps://localhost:${server.port}`, {}, { ca: cert });
    expect(await mailer.send(MAIL)).toBe(true);
    expect((await server.received(1))[0]?.isSecure).toBe(true);
  });

  it('is sent without TLS only if the settings allow it', async () => {
    const server = await start();
    const address = `smtp://127.0.0.1:${server.port}`;
    const strict = mailerFor(address);
    expect(await strict.mailer.send(MAIL)).toBe(false);
    expect(strict.problems).toHaveLength(1);
    expect(server.mails).toEqual([]);
    const open = mailerFor(address, { requireTls: false });
    expect({ isSent: await open.mailer.send(MAIL), problems: open.problems }).toEqual({ isSent: true, problems: [] });
  });

  it('is not sent to a server with an unknown certificate', async () => {
    const { cert, key } = await makeCertificate('localhost');
    const server = await start({ cert, key });
    const { mailer, problems } = mailerFor(`smtp://localhost:${server.port}`);
    expect(await mailer.send(MAIL)).toBe(false);
    expect(problems.join()).toContain('certificate');
    expect(server.mails).toEqual([]);
  });

  it('is abandoned if the server does not answer, and reported once', async () => {
    const sockets: { destroy(): void }[] = [];
    const silent = createServer((socket) => void sockets.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', () => resolve()));
    servers.push({
      async stop() {
        for (const socket of sockets) socket.destroy();
        await new Promise((resolve) => silent.close(resolve));
      },
    });
    const { port } = silent.address() as { port: number };
    const { mailer, problems } = mailerFor(`smtp://127.0.0.1:${port}`, {}, { stepMs: 400, deadlineMs: 1_500 });
    expect(await mailer.send(MAIL)).toBe(false);
    expect(problems).toHaveLength(1);
  });

  it('waits while two others are sent, and is then sent', async () => {
    const server = await start();
    const { mailer } = mailerFor(`smtp://127.0.0.1:${server.port}`, { requireTls: false });
    for (let count = 0; count < 7; count++) void mailer.send(MAIL);
    await mailer.settle();
    expect(server.mails).toHaveLength(7);
  });

  it('has at most one recipient, even if its address contains a comma', async () => {
    const server = await start();
    const { mailer } = mailerFor(`smtp://127.0.0.1:${server.port}`, { requireTls: false });
    await mailer.send({ ...MAIL, to: 'a@example.org, b@example.org', subject: 'x\r\nBcc: c@example.org' });
    const receivers = server.mails.flatMap(({ to }) => to);
    expect(receivers.length).toBeLessThanOrEqual(1);
    expect(receivers).not.toContain('c@example.org');
  });
});
