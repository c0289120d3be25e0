import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf, paths } from '../../paths.ts';
import type { AccessRequest } from '../../repository/asking/access-requests.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { DataTable } from '../data-table.tsx';
import type { FormProblem } from '../forms/error-summary.tsx';
import { TextArea, TextInput } from '../forms/field.tsx';
import { FormToken, formPage } from '../forms/form-page.tsx';
import { CopyButton } from '../item/copy-button.tsx';
import { ManageTabs } from '../manage/manage-tabs.tsx';
import { timeText } from '../manage/manage-words.ts';
import type { Answer } from './asking-mails.ts';

const STATES: Readonly<Record<AccessRequest['state'], string>> = {
  unconfirmed: 'Unconfirmed',
  open: 'Waits for a decision',
  granted: 'Granted',
  refused: 'Refused',
};

/** Returns the queue of requests, those that wait for a decision first. */
export function requestsPage(requests: readonly AccessRequest[], site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  return formPage({
    site,
    heading: 'Requests for access',
    isWide: true,
    styles: ['table.css', 'manage.css'],
    children: (
      <>
        <ManageTabs site={site} root={root} path={paths.accessRequests} />
        {requests.length === 0 ? (
          <p class="empty">No requests.</p>
        ) : (
          <DataTable label="Requests for access" class="rows" heads={['Item', 'Reader', 'Asked', 'State']}>
            {requests.map(({ id, nodeId, title, name, mail, created, state, decided, decidedBy }) => (
              <tr key={id}>
                <th scope="row">
                  <a href={root + entityPath.node(nodeId)} dir="auto">
                    {title}
                  </a>
                </th>
                <td>
                  <bdi>{name}</bdi>, <bdi>{mail}</bdi>
                </td>
                <td>{timeText(created)}</td>
                <td>
                  <a href={root + pathOf('accessRequest', { request: id })}>{STATES[state]}</a>
                  {decided !== null && ` ${timeText(decided)}`}
                  {decidedBy !== null && (
                    <>
                      {' '}
                      by <bdi>{decidedBy}</bdi>
                    </>
                  )}
                </td>
              </tr>
            ))}
          </DataTable>
        )}
      </>
    ),
  });
}

/** The page of a request. */
export interface RequestData {
  readonly request: AccessRequest;
  readonly token: string;
  /** The day of the site. */
  readonly today: string;
  /** True if the answer is mailed. */
  readonly mayMail: boolean;
  readonly lastDay: string;
  readonly note: string;
  readonly problems: readonly FormProblem[];
}

/** Returns the page of a request, with the form of the decision while it is open. */
export function requestPage(data: RequestData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { request, today, problems } = data;
  const { nodeId, title, name, mail, isConfirmed, purpose, state, created, decided, decidedBy, note } = request;
  return formPage({
    site,
    heading: `The request of ${name}`,
    errors: problems,
    crumbs: <RequestCrumbs root={root} />,
    children: (
      <>
        <dl>
          <dt>Item</dt>
          <dd>
            <a href={root + entityPath.node(nodeId)} dir="auto">
              {title}
            </a>
          </dd>
          <dt>Mail address</dt>
          <dd>
            <bdi>{mail}</bdi> ({isConfirmed ? 'confirmed' : 'not confirmed'})
          </dd>
          <dt>Asked</dt>
          <dd>{timeText(created)}</dd>
          <dt>Purpose</dt>
          <dd class="lines" dir="auto">
            {purpose}
          </dd>
        </dl>
        {state === 'open' ? (
          <DecisionForm {...data} root={root} today={today} />
        ) : (
          <>
            <p>
              {STATES[state]} {decided !== null && timeText(decided)} by <bdi>{decidedBy ?? 'a deleted user'}</bdi>.{' '}
              <a href={root + pathOf('nodeAccessLinks', { node: nodeId })}>Links to the item</a>
            </p>
            {note && (
              <p class="lines" dir="auto">
                {note}
              </p>
            )}
          </>
        )}
      </>
    ),
  });
}

function DecisionForm({
  request,
  token,
  today,
  mayMail,
  lastDay,
  note,
  root,
}: RequestData & { readonly root: string }) {
  return (
    <form method="post" action={root + pathOf('accessRequest', { request: request.id })}>
      <FormToken token={token} />
      <TextInput
        name="last_day"
        label="Last day of the link"
        type="date"
        value={lastDay}
        help={`To grant the request. The link is valid on this day, too. Today is ${today}.`}
        isShort
      />
      <TextArea
        name="note"
        label="Note"
        value={note}
        rows={3}
        help={
          mayMail
            ? 'It is part of the mail with the answer.'
            : 'No mail is sent: the next page shows the answer to pass on.'
        }
      />
      <p>
        <button class="button" type="submit" name="decision" value="grant">
          Grant
        </button>{' '}
        <button class="button quiet" type="submit" name="decision" value="refuse">
          Refuse
        </button>
      </p>
    </form>
  );
}

function RequestCrumbs({ root }: { readonly root: string }) {
  return (
    <nav aria-label="Breadcrumb">
      <a href={root + paths.accessRequests}>Requests for access</a>
    </nav>
  );
}

interface AnswerData {
  readonly request: AccessRequest;
  readonly answer: Answer;
  /** True if the site has a mail server, which did not take the mail. */
  readonly isMailFailed: boolean;
}

/** Returns the page with the answer that the editor passes on. No address shows it again. */
export function answerPage({ request, answer, isMailFailed }: AnswerData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  return formPage({
    site,
    heading: 'Pass the answer on',
    crumbs: <RequestCrumbs root={root} />,
    styles: ['item.css'],
    modules: ['copy.js'],
    lead: (
      <p>
        The decision is saved. {isMailFailed ? 'The mail was not sent: ' : 'This site sends no mails: '}
        send this answer to <bdi>{request.mail}</bdi> yourself. It is shown only now.
      </p>
    ),
    children: (
      <p>
        <label for="answer">Answer</label> <CopyButton copies="answer" what="the answer" />
        <textarea id="answer" readOnly rows={12} spellcheck={false}>
          {answer.text}
        </textarea>
      </p>
    ),
  });
}
