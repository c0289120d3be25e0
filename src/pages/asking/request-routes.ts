import { type Static, Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import { statusOf } from '../../http/error-status.ts';
import { paths } from '../../paths.ts';
import { linkAccess } from '../../repository/access.ts';
import {
  type AccessRequest,
  decideAccessRequest,
  findAccessRequest,
  findAccessRequests,
} from '../../repository/asking/access-requests.ts';
import { nodeOverviewAccess } from '../../repository/core-right.ts';
import { type Call, doesNotExist, parseId } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { mayMail } from '../account/reset-mail.ts';
import { defineAdminPage } from '../admin/define-admin-page.ts';
import { answerTo } from './asking-mails.ts';
import { linkAddress } from './link-routes.ts';
import { answerPage, type RequestData, requestPage, requestsPage } from './requests-page.tsx';

const params = t.Object({ request: t.String({ description: 'The id of a request for closed files.' }) });
const DecisionForm = t.Object({
  decision: t.Optional(t.String({ description: '`grant` or `refuse`.' })),
  last_day: t.Optional(t.String({ description: 'The last day of the link, such as `2027-05-01`.' })),
  note: t.Optional(t.String({ description: 'A sentence for the reader.' })),
});

/** The queue of requests for closed files, and the page of each. */
export const accessRequestsAdminPage = defineAdminPage({
  path: paths.accessRequests,
  label: 'Requests for access',
  description: 'Readers who ask for closed files: grant them a link until a day, or refuse.',
  group: 'content',
  permission: nodeOverviewAccess,
  routes: (api, access) =>
    resource(api)
      .get(paths.accessRequests, ({ call }) => list(call), { check: { formats: PAGE_FORMATS, access } })
      .get(paths.accessRequest, async ({ call }) => show(call, await findDecidable(call)), {
        check: { formats: PAGE_FORMATS, access },
        params,
      })
      .post(paths.accessRequest, ({ call, body }) => decide(call, body), {
        check: { form: 'signed', formats: PAGE_FORMATS, access },
        params,
        body: DecisionForm,
      }),
});

/** Returns the access to a request: that to links to its item. */
function requestAccess({ actor, api }: Call, request: AccessRequest) {
  return linkAccess(actor, request, api.services.access.sets.hasOwnRule(request.accessSet));
}

async function list(call: Call): Promise<Response> {
  const requests = await findAccessRequests(call.api.services);
  return formAnswer(
    requestsPage(
      requests.filter((each) => requestAccess(call, each).isAllowed),
      call.site,
    ),
  );
}

/** Returns the request of the path. Throws 404 for an unknown or unconfirmed one, and 403 for a caller who may not decide on it. */
async function findDecidable(call: Call): Promise<AccessRequest> {
  const { request: text = '' } = call.params;
  const id = parseId(text);
  const request = id === undefined ? undefined : await findAccessRequest(call.api.services, id);
  if (request === undefined) throw doesNotExist('request', text);
  call.require(requestAccess(call, request));
  return request;
}

function show(call: Call, request: AccessRequest, more: Partial<RequestData> = {}, status = 200): Response {
  const { api, formToken, site } = call;
  const data: RequestData = {
    ...{ request, token: formToken, today: api.services.access.today, mayMail: mayMail(api, request.mail) },
    ...{ lastDay: '', note: '', problems: [], ...more },
  };
  return formAnswer(requestPage(data, site), status);
}

async function decide(call: Call, form: Static<typeof DecisionForm>): Promise<Response> {
  const request = await findDecidable(call);
  const { api, actor, baseUrl } = call;
  const { decision, last_day: lastDay = '', note = '' } = form;
  if (decision !== 'grant' && decision !== 'refuse')
    return show(call, request, { lastDay, note, problems: [{ message: 'Press Grant or Refuse.' }] }, 422);
  let token: string | undefined;
  try {
    const granted = decision === 'grant' ? lastDay : undefined;
    token = await decideAccessRequest(api.services, request, { by: actor.id, note, lastDay: granted });
  } catch (error) {
    if (!(error instanceof ServiceError) || !REFUSALS.has(error.kind)) throw error;
    return show(call, request, { lastDay, note, problems: [{ message: error.publicMessage }] }, statusOf(error.kind));
  }
  const root = api.mail?.baseUrl ?? baseUrl;
  const link = token && linkAddress({ baseUrl: root }, token);
  const answer = answerTo(api, request, { note: note.trim(), link, lastDay }, root);
  const isSent =
    api.mail !== undefined &&
    mayMail(api, request.mail) &&
    (await api.mail.mailer.send({ to: request.mail, subject: answer.subject, text: answer.text }));
  if (isSent) return seeOther(call, paths.accessRequests, `The answer was mailed to ${request.mail}.`);
  return formAnswer(answerPage({ request, answer, isMailFailed: api.mail !== undefined }, call.site));
}

const REFUSALS = new Set<ServiceError['kind']>(['unprocessable', 'conflict']);
