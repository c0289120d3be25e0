import { type Static, Type as t } from '@sinclair/typebox';
import { storedSessionKey } from '../../auth/session-token.ts';
import { paths } from '../../paths.ts';
import { sessionsAccess } from '../../repository/account-access.ts';
import { userPagePath } from '../../representation/account-paths.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { userParams } from '../../web/find-user-or-404.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { managedAccount, withoutSession } from './managed-account.ts';
import { sessionsPage } from './sessions-page.tsx';

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
  const path = userPagePath('userSessions', row.id);
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
