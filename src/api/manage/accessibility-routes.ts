import { Type as t } from '@sinclair/typebox';
import { ServiceError } from '../../base/errors.ts';
import { paths } from '../../paths.ts';
import { saveAlternativeText } from '../../repository/accessibility/save-alternative-text.ts';
import { nodeOverviewAccess } from '../../repository/core-right.ts';
import { ValidationFailed } from '../../repository/errors.ts';
import type { FormProblem } from '../../representation/manage/content-list-data.ts';
import type { ApiServices } from '../api-services.ts';
import { type Call, doesNotExist, parseId } from '../call.ts';
import { resource } from '../check.ts';
import { PAGE_FORMATS } from '../formats.ts';
import { addressWithin } from '../forms/address-within.ts';
import { FORM_HEADERS, formPage, seeOther } from '../forms/form-answer.ts';
import { formBody } from '../forms/form-body.ts';
import { describe, HIDDEN, PAGE_CONTENT } from '../openapi/describe.ts';
import { queryOf } from '../parameters.ts';
import { gatherReport } from './gather-report.ts';

/** Maximum number of texts that a form may save. */
const MAX_TEXTS = 100;
const FIELD = /^alt-(\d{1,15})$/;

const access = (call: Call) => call.allow(nodeOverviewAccess(call.actor));
const text = (description: string) => t.Optional(t.String({ description }));
const query = queryOf({
  show: text('`text`, `captions` or `language`. Default: `text`.'),
  collection: text('The id of a collection.'),
  after: text('Entries with a higher id only.'),
});

/** The typed texts by the id of their media, without empty ones. */
const texts = formBody((fields) => {
  const typed = new Map<number, string>();
  for (const [name, value] of fields) {
    const id = parseId(FIELD.exec(name)?.[1]);
    if (id !== undefined && value.trim() !== '' && typed.size < MAX_TEXTS) typed.set(id, value.trim());
  }
  return typed as ReadonlyMap<number, string>;
});

/** Routes of the report of what lacks alternative text, captions or language. */
export const accessibilityRoutes = (api: ApiServices) =>
  resource(api)
    .get(
      paths.accessibility,
      async ({ call }) => formPage(call.api.pages.accessibility(await gatherReport(call), call.site)),
      {
        check: { formats: PAGE_FORMATS, access },
        query,
        detail: describe({
          operationId: 'getAccessibilityReport',
          tag: 'pages',
          summary: 'List what lacks alternative text, captions or language',
          isForAnyone: false,
          responses: { 200: { description: 'The page.', headers: FORM_HEADERS, content: PAGE_CONTENT } },
          failures: [403],
        }),
      },
    )
    .post(paths.accessibility, async ({ call, body }) => save(call, body), {
      check: { form: 'signed', formats: PAGE_FORMATS, access },
      body: texts,
      detail: HIDDEN,
    });

async function save(call: Call, typed: ReadonlyMap<number, string>): Promise<Response> {
  const failed = new Map<number, string>();
  const problems: FormProblem[] = [];
  for (const [id, value] of typed) {
    const message = await saveOne(call, id, value);
    if (message === undefined) continue;
    failed.set(id, value);
    problems.push({ field: `alt-${id}`, message });
  }
  const saved = typed.size - failed.size;
  const notice = saved === 1 ? 'One text is saved.' : `${saved} texts are saved.`;
  if (problems.length === 0)
    return seeOther(call, addressWithin(call.request), typed.size === 0 ? 'No text was entered.' : notice);
  const data = await gatherReport(call, { typed: failed, problems });
  return formPage(call.api.pages.accessibility(data, call.site), 422);
}

/** Saves a text. Returns a sentence about what is wrong. */
async function saveOne({ api, actor }: Call, id: number, value: string): Promise<string | undefined> {
  const read = async () => {
    const media = await api.findContent('media', id);
    if (media === undefined) throw doesNotExist('media', String(id));
    return media;
  };
  try {
    await saveAlternativeText(api.services, actor, {
      ...{ read, text: value },
      check({ kind, head }) {
        if (!kind.access.view(actor, head).isAllowed) throw doesNotExist('media', String(id));
        const update = kind.access.update(actor, head);
        if (!update.isAllowed) throw new ServiceError('forbidden', `You may not change it. ${update.reason}`);
      },
    });
    return undefined;
  } catch (error) {
    if (error instanceof ValidationFailed) return error.violations.map(({ message }) => message).join(' ');
    if (error instanceof ServiceError && ['forbidden', 'not-found', 'unprocessable', 'conflict'].includes(error.kind))
      return error.publicMessage;
    throw error;
  }
}
