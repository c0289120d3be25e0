import { type Static, Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import { statusOf } from '../../http/error-status.ts';
import { entityPath, paths } from '../../paths.ts';
import { seesFilesOf } from '../../repository/access.ts';
import { isCollection } from '../../repository/asking/access-links.ts';
import {
  addAccessRequest,
  confirmAccessRequest,
  findUnconfirmed,
  requestProblem,
} from '../../repository/asking/access-requests.ts';
import { type Content, open } from '../../repository/content/content.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { findOr404 } from '../../web/find-content-or-404.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { addressOf } from '../../web/identify.ts';
import { id } from '../../web/parameters.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { askedPage, askPage, confirmRequestPage } from './ask-page.tsx';
import { mailConfirmationOf, mailContact } from './asking-mails.ts';

const params = t.Object({ node: id('The id of the node.') });
const Token = t.Object({ token: t.String({ description: 'The token of a link that confirms a request.' }) });
const AskForm = t.Object({
  name: t.Optional(t.String({ description: 'The name of the reader.' })),
  mail: t.Optional(t.String({ description: 'The mail address of the reader.' })),
  purpose: t.Optional(t.String({ description: 'What the reader needs the files for.' })),
});
const ALLOWED = { isAllowed: true } as const;
/** The address is a secret, which no other page may learn. */
const HEADERS = { 'Referrer-Policy': 'no-referrer' };

/** The routes with which readers ask for the files of a node, and confirm their mail address. */
export const askRoutes = (api: ApiServices) =>
  resource(api)
    .get(paths.nodeAsk, async ({ call }) => show(call, await findClosed(call)), {
      check: { formats: PAGE_FORMATS, access: findClosed },
      params,
    })
    .post(paths.nodeAsk, ({ call, body }) => ask(call, body), {
      check: { form: 'open', formats: PAGE_FORMATS, access: findClosed },
      params,
      body: AskForm,
    })
    .get(paths.accessConfirm, ({ call }) => showConfirmation(call), {
      check: { formats: PAGE_FORMATS },
      params: Token,
    })
    .post(paths.accessConfirm, ({ call }) => confirm(call), {
      check: { form: 'open', formats: PAGE_FORMATS, access: (call: Call) => call.allow(ALLOWED) },
      params: Token,
      body: t.Object({}),
    });

/** Returns the node of the path. Throws 401 or 403 for a caller who may not view it, and 404 if no file is closed to the caller. */
async function findClosed(call: Call): Promise<Content> {
  const node = call.content ?? (await findOr404(call, 'node'));
  const { kind, head } = node;
  call.allow(kind.access.view(call.actor, head));
  if (seesFilesOf(call.actor, head))
    throw new ServiceError('not-found', 'No file of this item is closed to you. There is nothing to ask for.');
  if (await isCollection(call.api.services, head.id))
    throw new ServiceError('not-found', 'Ask for the files of an item of this collection, on the page of the item.');
  call.content = node;
  return node;
}

const NOTHING = { name: '', mail: '', purpose: '' };

function show(call: Call, node: Content, typed = NOTHING, problems: FormProblem[] = [], status = 200): Response {
  const { id: nodeId, accessSet } = node.head;
  const data = {
    ...{ id: nodeId, title: open(node).draft.label, rights: call.actor.rightsOf(accessSet), typed, problems },
    isMailed: call.api.mail !== undefined,
  };
  return formAnswer(askPage(data, call.site), status);
}

async function ask(call: Call, { name = '', mail = '', purpose = '' }: Static<typeof AskForm>): Promise<Response> {
  const node = await findClosed(call);
  const { api, request, peer } = call;
  const typed = { name, mail: mail.trim(), purpose };
  const problem = requestProblem(typed);
  if (problem !== undefined) return show(call, node, typed, [problem], 422);
  const isMailed = api.mail !== undefined;
  const { id: nodeId } = node.head;
  try {
    const origin = { isMailed, address: addressOf(api, request, peer) };
    const token = await addAccessRequest(api.services, nodeId, typed, origin);
    if (isMailed && !(await mailConfirmationOf(api, typed.mail, token)))
      return show(call, node, typed, [{ field: 'mail', message: NOT_SENT }], 422);
  } catch (error) {
    if (!(error instanceof ServiceError) || !REFUSALS.has(error.kind)) throw error;
    const field = error.kind === 'unprocessable' ? { field: 'mail' } : {};
    return show(call, node, typed, [{ ...field, message: error.publicMessage }], statusOf(error.kind));
  }
  return formAnswer(askedPage({ id: nodeId, title: open(node).draft.label, isMailed }, call.site));
}

const NOT_SENT = 'The mail that confirms your address could not be sent. Check the address, or try again later.';
const REFUSALS = new Set<ServiceError['kind']>(['unprocessable', 'too-many-requests']);

/** Answers the form, or 404 for an invalid link. Mail scanners open links: only the form confirms. */
async function showConfirmation(call: Call): Promise<Response> {
  call.allow(ALLOWED);
  const { token = '' } = call.params;
  const request = await findUnconfirmed(call.api.services, token);
  return formAnswer(confirmRequestPage(token, request, call.site), request === undefined ? 404 : 200, HEADERS);
}

async function confirm(call: Call): Promise<Response> {
  const request = await confirmAccessRequest(call.api.services, call.params.token ?? '');
  if (request === undefined) return showConfirmation(call);
  mailContact(call.api, request);
  return seeOther(call, entityPath.node(request.nodeId), 'The editors have your request.', HEADERS);
}
