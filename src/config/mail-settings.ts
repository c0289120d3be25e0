import { secret, text, yesOrNo } from './entry-types.ts';
import { setting } from './setting.ts';

const SERVER = 'an address such as smtp://mail.example.org:587 or smtps://mail.example.org';
/** One address without a name, as in the header of a mail. */
const ADDRESS = /^[^\s@<>",;:()[\]\\]+@[^\s@<>",;:()[\]\\]+$/;

/** The settings of the mail server. No server: no mails. */
export const MAIL_SETTINGS = {
  /** `smtp:` upgrades to TLS after the greeting, `smtps:` begins with it. */
  server: setting('mail.server', text(SERVER, parseMailServer), { variable: 'REPO_MAIL_SERVER' }),
  /** The sender of all mails. */
  from: setting('mail.from', text('a mail address such as repository@example.org', parseSender)),
  user: setting('mail.user', text('the name for signing in to the mail server')),
  password: setting('mail.password', secret('a password'), { variable: 'REPO_MAIL_PASSWORD' }),
  /** False allows a server without TLS, such as one on the same machine. */
  requireTls: setting('mail.requireTls', yesOrNo, { default: true }),
};

/** Returns the address of a mail server. Throws RangeError. */
function parseMailServer(entry: string): string {
  const url = URL.parse(entry);
  const isServer = url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== '';
  const isPlain = isServer && /^\/?$/.test(url.pathname) && url.search === '' && url.hash === '';
  if (isPlain && url.username === '' && url.password === '') return entry;
  const ending = entry.includes('@') ? '; a password goes into REPO_MAIL_PASSWORD' : `, found "${entry}"`;
  throw new RangeError(`must be ${SERVER}${ending}`);
}

function parseSender(entry: string): string {
  if (ADDRESS.test(entry)) return entry;
  throw new RangeError(`must be a mail address such as repository@example.org, found "${entry}"`);
}
