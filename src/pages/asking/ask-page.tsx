import { siteRoot } from '../../field-types/display/addresses.ts';
import type { AccessRights } from '../../model/access-rules.ts';
import { entityPath, pathOf } from '../../paths.ts';
import type { AccessRequest, TypedRequest } from '../../repository/asking/access-requests.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { invalidLinkPage } from '../account/invalid-link-page.tsx';
import { ItemCrumbs } from '../cards/breadcrumbs.tsx';
import { errorOf, type FormProblem } from '../forms/error-summary.tsx';
import { TextArea, TextInput } from '../forms/field.tsx';
import { formPage } from '../forms/form-page.tsx';

/** The page on which a reader asks for the files of an item. */
export interface AskData {
  readonly id: number;
  readonly title: string;
  readonly rights: AccessRights | undefined;
  /** True if a mail confirms the address. */
  readonly isMailed: boolean;
  readonly typed: TypedRequest;
  readonly problems: readonly FormProblem[];
}

/** Returns the form with which a reader asks for the files of an item. */
export function askPage({ id, title, rights, isMailed, typed, problems }: AskData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  return formPage({
    site,
    heading: 'Ask for access',
    errors: problems,
    crumbs: <ItemCrumbs address={root + entityPath.node(id)} title={title} />,
    lead: (
      <>
        <p>
          The files of <bdi>{title}</bdi> are closed{rights?.until !== undefined && ` until ${rights.until}`}.{' '}
          {rights?.reason}
        </p>
        <p>
          {isMailed
            ? 'You get a mail with a link that confirms your request. The answer comes by mail, too.'
            : 'This site sends no mails. Your request goes directly to the editors, who answer to your address themselves.'}
        </p>
      </>
    ),
    children: (
      <form method="post" action={root + pathOf('nodeAsk', { node: id })}>
        <TextInput
          name="name"
          label="Your name"
          value={typed.name}
          autocomplete="name"
          spellcheck={false}
          error={errorOf(problems, 'name')}
          required
        />
        <TextInput
          name="mail"
          label="Your mail address"
          type="email"
          value={typed.mail}
          autocomplete="email"
          error={errorOf(problems, 'mail')}
          required
        />
        <TextArea
          name="purpose"
          label="What you need the files for"
          value={typed.purpose}
          error={errorOf(problems, 'purpose')}
          required
        />
        <p>
          <button class="button" type="submit">
            Send the request
          </button>
        </p>
      </form>
    ),
  });
}

/** Returns the page after a request was sent. */
export function askedPage({ id, title, isMailed }: Pick<AskData, 'id' | 'title' | 'isMailed'>, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  return formPage({
    site,
    heading: isMailed ? 'Look into your mailbox' : 'Your request is sent',
    crumbs: <ItemCrumbs address={root + entityPath.node(id)} title={title} />,
    children: (
      <p>
        {isMailed
          ? 'A link is on its way to your mail address. The editors get your request once you have confirmed it.'
          : 'The editors have your request, and answer to your mail address.'}
      </p>
    ),
  });
}

/** Returns the page to which the link of the mail leads. `request` is undefined for an invalid link. */
export function confirmRequestPage(token: string, request: AccessRequest | undefined, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  if (request === undefined) return invalidLinkPage(site, <a href={`${root}/`}>First page</a>);
  return formPage({
    site,
    heading: 'Confirm your request',
    lead: (
      <p>
        You ask for the files of <bdi>{request.title}</bdi>. The answer goes to <bdi>{request.mail}</bdi>.
      </p>
    ),
    children: (
      <form method="post" action={root + pathOf('accessConfirm', { token })}>
        <p>
          <button class="button" type="submit">
            Confirm the request
          </button>
        </p>
      </form>
    ),
  });
}
