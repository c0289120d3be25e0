import { pathOf } from '../../paths.ts';
import type { User } from '../../repository/users/find-user.ts';
import { MAIL_LINK_HOURS, requestMailChange } from '../../repository/users/mail-change.ts';
import type { ApiServices } from '../../web/api-services.ts';
import { mayMail } from './reset-mail.ts';

/**
 * Mails a link that confirms the new address of a user, and tells the old address. Resolves to false if the link was not
 * sent. Throws as `requestMailChange`. Call it only if `mayMail`.
 */
export async function mailConfirmation(api: ApiServices, user: User, address: string): Promise<boolean> {
  const { mail, services, siteName } = api;
  if (mail === undefined) return false;
  const { name } = user.row;
  const link = mail.baseUrl + pathOf('mailConfirm', { token: await requestMailChange(services, user, address) });
  const isSent = await mail.mailer.send({
    to: address,
    subject: `Confirm your mail address at ${siteName}`,
    text: [
      `Hello ${name},`,
      `confirm on this page that this is the new mail address of your account at ${siteName}:`,
      link,
      `The link is valid for ${MAIL_LINK_HOURS} hours. Your earlier address stays in use until then.`,
      'If you did not expect this mail, ignore it.',
    ].join('\n\n'),
  });
  if (isSent)
    tellOldAddress(api, user, 'A new mail address was entered for your account. It takes effect once it is confirmed.');
  return isSent;
}

/** Tells the present address of a user about a change. Not awaited: a failure is logged. */
export function tellOldAddress(api: ApiServices, { row }: User, change: string): void {
  const { mail, siteName } = api;
  if (mail === undefined || !mayMail(api, row.mail)) return;
  void mail.mailer.send({
    to: row.mail,
    subject: `The mail address of your account at ${siteName}`,
    text: [
      `Hello ${row.name},`,
      change,
      'If it was not you, change your password at once, which ends open links and sessions, and tell an administrator.',
    ].join('\n\n'),
  });
}
