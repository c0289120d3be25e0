import type { Mail } from '../../mail/mailer.ts';
import { pathOf } from '../../paths.ts';
import { mailProblem } from '../../repository/users/account-problems.ts';
import type { User } from '../../repository/users/find-user.ts';
import { createResetLink, RESET_LINK_HOURS } from '../../repository/users/reset-links.ts';
import type { ApiServices } from '../../web/api-services.ts';

/** Returns true if a link can be mailed to a user. */
export function mayMail({ mail }: ApiServices, address: string | null): address is string {
  return mail !== undefined && address !== null && mailProblem(address) === undefined;
}

/** Creates a reset link and mails it. Resolves to false if the mail was not sent. Call it only if `mayMail`. */
export async function mailResetLink(api: ApiServices, user: User): Promise<boolean> {
  const { mail } = api;
  return (
    (await mail?.mailer.send(async () => resetMail(api.siteName, user, await newLink(api, mail.baseUrl, user)))) ??
    false
  );
}

async function newLink({ services }: ApiServices, baseUrl: string, user: User): Promise<string> {
  const { token } = await createResetLink(services, user);
  return baseUrl + pathOf('passwordReset', { token });
}

function resetMail(siteName: string, { row }: User, link: string): Mail {
  const isFirst = row.passwordHash === null;
  const reason = isFirst
    ? `you have an account at ${siteName}. Choose a password for it on this page:`
    : `a new password was requested for your account at ${siteName}. Choose it on this page:`;
  return {
    to: row.mail ?? '',
    subject: isFirst ? `Your account at ${siteName}` : `Your password at ${siteName}`,
    text: [
      `Hello ${row.name},`,
      reason,
      link,
      `The link is valid for ${RESET_LINK_HOURS} hours, and for one change.`,
      isFirst
        ? 'If you did not expect this mail, ignore it.'
        : 'If it was not you, ignore this mail: your password stays as it is.',
    ].join('\n\n'),
  };
}
