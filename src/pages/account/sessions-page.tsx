import { type Static, Type as t } from '@sinclair/typebox';
import { storedSessionKey } from '../../auth/session-token.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { pathOf, paths } from '../../paths.ts';
import { sessionsAccess } from '../../repository/account-access.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { userParams } from '../../web/find-user-or-404.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { FormToken, formPage } from '../forms/form-page.tsx';
import { Moment } from '../revisions/revision-words.tsx';
import type { SessionRow, SessionsData } from './account-data.ts';
import { AccountCrumbs } from './account-navigation.tsx';
import { browserWords } from './browser-words.ts';
import { managedAccount, withoutSession } from './managed-account.ts';

/** The value that ends all sessions but the one that sends it. */
const OTHERS = 'others';
const Ended = t.Object({ end: t.Optional(t.String({ description: 'A session of the list, or `others`.' })) });

/** Routes of the sessions of an account, for its owner and for administrators. */
export const sessionListRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.userSessions, ({ call }) => show(call), {
      check: { formats: PAGE_FORMATS },
      params: userParams,
    })
    .post(paths.userSessions, ({ call, body }) => end(call, body), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: account },
      params: userParams,
      body: Ended,
    });

const account = (call: Call) => managedAccount(call, sessionsAccess);

/** Returns the digest of the caller's session. Empty for a caller without one. */
const ownSession = ({ identity: { sessionId } }: Call) => (sessionId === undefined ? '' : storedSessionKey(sessionId));

async function show(call: Call, problems: readonly FormProblem[] = []): Promise<Response> {
  const { api, actor, formToken, site } = call;
  const { row } = await account(call);
  const own = ownSession(call);
  const listed = await api.sessions.list(row.id);
  const sessions = listed.map(({ idHash, ...facts }) => ({ ...facts, id: idHash, isThis: idHash === own }));
  const data = { token: formToken, account: row, isOwn: row.id === actor.id, sessions, problems };
  return formAnswer(sessionsPage(data, site), problems.length === 0 ? 200 : 422);
}

async function end(call: Call, { end: wanted = '' }: Static<typeof Ended>): Promise<Response> {
  const { api } = call;
  const { row } = await account(call);
  const path = pathOf('userSessions', { user: row.id });
  const own = ownSession(call);
  if (wanted === OTHERS) {
    const count = await api.sessions.endAll(row.id, own);
    return seeOther(call, path, count === 1 ? 'One session has ended.' : `${count} sessions have ended.`);
  }
  if (!(await api.sessions.endOf(row.id, wanted)))
    return show(call, [{ message: 'This session has ended already. Choose one of the list.' }]);
  return wanted === own
    ? seeOther(call, paths.home, undefined, withoutSession(call))
    : seeOther(call, path, 'The session has ended.');
}

/** Returns the page with the sessions of an account. */
function sessionsPage({ token, account, isOwn, sessions, problems }: SessionsData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const others = sessions.filter(({ isThis }) => !isThis).length;
  return formPage({
    site,
    heading: isOwn ? 'Your sessions' : `Sessions of ${account.name}`,
    lead: (
      <p>
        Each browser in which {isOwn ? 'you are' : <bdi>{account.name}</bdi>} {isOwn ? '' : 'is '}signed in has a
        session. End those that {isOwn ? 'you do' : 'the user does'} not recognize, and then{' '}
        {isOwn ? 'change your password.' : 'create a link to a new password.'}
      </p>
    ),
    errors: problems,
    crumbs: <AccountCrumbs root={root} account={account} isManager={!isOwn} />,
    styles: ['account.css', 'cards.css'],
    children: (
      <form method="post" action={root + pathOf('userSessions', { user: account.id })}>
        <FormToken token={token} />
        {sessions.length === 0 && <p>There are no sessions.</p>}
        <ul class="session-list">
          {sessions.map((session) => (
            <Session key={session.id} {...session} />
          ))}
        </ul>
        {others > 1 && (
          <p>
            <button class="button quiet" type="submit" name="end" value="others">
              {isOwn ? `End the ${others} other sessions` : `End all ${others} sessions`}
            </button>
          </p>
        )}
      </form>
    ),
  });
}

function Session({ id, created, expires, used, address, userAgent, isThis }: SessionRow) {
  const browser = browserWords(userAgent);
  return (
    <li>
      <div>
        <p>
          <strong>{browser}</strong>
          {isThis && ' (this session)'}
        </p>
        <p class="soft">
          Signed in <Moment at={created} />
          {address !== null && <> from {address}</>}, last used <Moment at={used} />, ends <Moment at={expires} /> at
          the latest
        </p>
      </div>
      <button class="button quiet small" type="submit" name="end" value={id}>
        {isThis ? 'Sign out here' : 'End'}
        <span class="unseen">
          : {browser}, begun <Moment at={created} />
        </span>
      </button>
    </li>
  );
}
