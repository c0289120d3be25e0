import { siteRoot } from '../../field-types/display/addresses.ts';
import { userPagePath } from '../../representation/account-paths.ts';
import type { Site } from '../../web/site.ts';
import { FormToken, formPage } from '../forms/form-page.tsx';
import type { HtmlPage } from '../layout.tsx';
import type { SessionsData, ShownSession } from './account-data.ts';
import { AccountCrumbs } from './account-ways.tsx';
import { browserWords } from './browser-words.ts';
import { Moment } from './moment.tsx';

/** Returns the page with the sessions of an account. */
export function sessionsPage({ token, account, isOwn, sessions, problems }: SessionsData, site: Site): HtmlPage {
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
      <form method="post" action={root + userPagePath('userSessions', account.id)}>
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

function Session({ id, created, expires, address, userAgent, isThis }: ShownSession) {
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
          {address !== null && <> from {address}</>}, ends <Moment at={expires} /> at the latest
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
