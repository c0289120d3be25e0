import { type Static, Type as t } from '@sinclair/typebox';
import { PASS_S, redeemChallenge } from '../../auth/pass.ts';
import { malformed } from '../../base/errors.ts';
import { PASS_COOKIE, passCookie } from '../../http/cookies.ts';
import { paths } from '../../paths.ts';
import { ALLOWED } from '../../repository/access-rule.ts';
import { ownAddress } from '../../web/address-within.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';

const Solution = t.Object({ payload: t.String(), address: t.String() });

/** The route that exchanges a solved challenge for a pass. */
export const challengeRoutes = (api: ApiServices) =>
  resource(api).post(paths.pass, ({ call, body }) => answer(call, body), {
    check: { form: 'open', formats: PAGE_FORMATS, access: isForAnyone },
    body: Solution,
  });

const isForAnyone = (call: Call): void => call.allow(ALLOWED);

async function answer(call: Call, { payload, address }: Static<typeof Solution>): Promise<Response> {
  const { api, baseUrl } = call;
  const pass = await redeemChallenge(payload, api.secret, api.services.now());
  if (pass === undefined) throw malformed('The work of the browser is not accepted. Load the page again.');
  const cookie = passCookie(PASS_COOKIE, pass, { isSecure: baseUrl.startsWith('https:'), maxAge: PASS_S });
  return seeOther(call, ownAddress(address) ?? paths.search, undefined, { 'Set-Cookie': cookie });
}
