import type { Transporter } from 'nodemailer';

/** A mail of plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Sends mails through the mail server of the configuration. */
export interface Mailer {
  /**
   * Sends a mail. A function runs just before sending. Resolves to false after a failure, which is logged: the visitor of a
   * page must not learn why, or whether a mail was sent at all. Never rejects. Resolves within `DEADLINE_MS` after the start
   * of sending.
   */
  send(mail: Mail | (() => Promise<Mail>)): Promise<boolean>;
  /** Resolves when no mail is being sent. */
  settle(): Promise<void>;
}

export interface MailSettings {
  /** `smtp://host:port` or `smtps://host:port`. */
  readonly server: string;
  readonly from: string;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly requireTls: boolean;
}

export interface MailerOptions {
  /** Returns the name of the sender. */
  readonly siteName: () => string;
  /** Reports a mail that was not sent. */
  readonly warn: (message: string, cause: unknown) => void;
  /** The limit of each step of a connection (default: `STEP_MS`). */
  readonly stepMs?: number;
  readonly deadlineMs?: number;
  /** The certificates that are trusted beside those of the system, in PEM. */
  readonly ca?: string;
}

/** The limits for connecting, the greeting and each answer, and for a mail as a whole. */
const STEP_MS = 10_000;
const DEADLINE_MS = 30_000;
const MAX_CONCURRENT = 2;
/** Maximum number of waiting mails: a slow server must not fill the memory. */
const MAX_WAITING = 200;

/** Creates the mailer of a process. The library is loaded with the first mail, and each mail has its own connection. */
export function createMailer(settings: MailSettings, options: MailerOptions): Mailer {
  const { siteName, warn, deadlineMs = DEADLINE_MS } = options;
  const running = new Set<Promise<void>>();
  const waiting: (() => void)[] = [];
  let active = 0;

  async function takeTurn(): Promise<void> {
    if (active < MAX_CONCURRENT) active += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
  }
  function endTurn(): void {
    const next = waiting.shift();
    if (next === undefined) active -= 1;
    else next();
  }

  async function deliver(mail: Mail | (() => Promise<Mail>)): Promise<boolean> {
    if (waiting.length >= MAX_WAITING) {
      warn('A mail was not sent: too many others are waiting.', undefined);
      return false;
    }
    await takeTurn();
    let transport: Transporter | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const { to, subject, text } = typeof mail === 'function' ? await mail() : mail;
      transport = await openTransport(settings, options);
      const deadline = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`no answer within ${deadlineMs / 1_000} s`)), deadlineMs);
      });
      // An object is taken as one address, never parsed as a list.
      await Promise.race([
        transport.sendMail({
          from: { name: siteName(), address: settings.from },
          to: { name: '', address: to },
          subject,
          text,
        }),
        deadline,
      ]);
      return true;
    } catch (error) {
      warn(`A mail was not sent: check the settings of mail, and the mail server ${settings.server}.`, error);
      return false;
    } finally {
      clearTimeout(timer);
      transport?.close();
      endTurn();
    }
  }

  return {
    send(mail) {
      const sending = deliver(mail);
      const ended = sending.then(() => void running.delete(ended));
      running.add(ended);
      return sending;
    },
    async settle() {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

async function openTransport(
  { server, user, password, requireTls }: MailSettings,
  { stepMs = STEP_MS, ca }: MailerOptions,
): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  const { protocol, hostname, port } = new URL(server);
  const isSecure = protocol === 'smtps:';
  return createTransport({
    // The brackets of an IPv6 address are part of a URL only.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    requireTLS: !isSecure && requireTls,
    ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
    ...(ca !== undefined && { tls: { ca } }),
    connectionTimeout: stepMs,
    greetingTimeout: stepMs,
    socketTimeout: stepMs,
    dnsTimeout: stepMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
