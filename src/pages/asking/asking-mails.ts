import { entityPath, pathOf } from '../../paths.ts';
import type { AccessRequest } from '../../repository/asking/access-requests.ts';
import { CONFIRM_HOURS } from '../../repository/asking/access-requests.ts';
import { mailIn } from '../../repository/asking/contact-mail.ts';
import type { ApiServices } from '../../web/api-services.ts';

/** The answer to a request. `link` is the address that opens the item; undefined for a refused one. */
export interface Answer {
  readonly subject: string;
  readonly text: string;
}

/**
 * Mails the link that confirms the address of a request. Resolves to false if the mail was not sent. It repeats nothing of what the
 * sender typed: the address may belong to somebody else.
 */
export async function mailConfirmationOf({ mail, siteName }: ApiServices, to: string, token: string): Promise<boolean> {
  if (mail === undefined) return false;
  return mail.mailer.send({
    to,
    subject: `Confirm your request at ${siteName}`,
    text: [
      `A request for closed files at ${siteName} names this mail address. Confirm the request on this page:`,
      mail.baseUrl + pathOf('accessConfirm', { token }),
      `The link is valid for ${CONFIRM_HOURS} hours. If you did not ask, ignore this mail.`,
    ].join('\n\n'),
  });
}

/** Tells the contact of an item about a request that waits for a decision. Not awaited: a failure is logged. */
export function mailContact({ mail, siteName, services }: ApiServices, request: AccessRequest): void {
  const to = mailIn(services.access.rightsOf(request.accessSet)?.contact);
  if (mail === undefined || to === undefined) return;
  void mail.mailer.send({
    to,
    subject: `A request for closed files at ${siteName}`,
    text: [
      `${request.name} asks for the files of “${request.title}”. Read the request, and decide on it:`,
      mail.baseUrl + pathOf('accessRequest', { request: request.id }),
    ].join('\n\n'),
  });
}

/** Returns the answer to a request, for the mail or for the editor who passes it on. `link` is undefined for a refused one. */
export function answerTo(
  { siteName, mail }: ApiServices,
  { name, title, nodeId }: AccessRequest,
  { note, link, lastDay }: { readonly note: string; readonly link: string | undefined; readonly lastDay: string },
  baseUrl: string,
): Answer {
  const item = `“${title}” (${(mail?.baseUrl ?? baseUrl) + entityPath.node(nodeId)})`;
  const outcome =
    link === undefined
      ? [`you asked for the files of ${item}. They cannot be opened to you.`]
      : [
          `you asked for the files of ${item}. This link opens them until ${lastDay}:`,
          link,
          'Everyone who has the link can open the files. Do not pass it on.',
        ];
  return {
    subject: `Your request at ${siteName}`,
    text: [`Hello ${name},`, ...outcome, ...(note === '' ? [] : [note])].join('\n\n'),
  };
}
