import { ServiceError } from '../../base/errors.ts';
import { paths } from '../../paths.ts';
import { saveAlternativeText } from '../../repository/accessibility/save-alternative-text.ts';
import { nodeOverviewAccess } from '../../repository/core-right.ts';
import { ValidationFailed } from '../../repository/errors.ts';
import { addressWithin } from '../../web/address-within.ts';
import { type Call, doesNotExist, parseId } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { formBody } from '../../web/form-body.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { defineAdminPage } from '../admin/define-admin-page.ts';
import type { FormProblem } from '../forms/error-summary.tsx';
import { accessibilityPage } from './accessibility-page.tsx';
import { gatherReport } from './gather-report.ts';

/** Maximum number of texts that a form may save. */
const MAX_TEXTS = 100;
const FIELD = /^alt-(\d{1,15})$/;

/** The typed texts by the id of their media, without empty ones. */
const texts = formBody((fields) => {
  const typed = new Map<number, string>();
  for (const [name, value] of fields) {
    const id = parseId(FIELD.exec(name)?.[1]);
    if (id !== undefined && value.trim() !== '' && typed.size < MAX_TEXTS) typed.set(id, value.trim());
  }
  return typed as ReadonlyMap<number, string>;
});

/** The report of what lacks alternative text, captions or language. */
export const accessibilityAdminPage = defineAdminPage({
  path: paths.accessibility,
  label: 'Accessibility',
  description: 'Pictures without alternative text, recordings without captions, items without language.',
  group: 'content',
  permission: nodeOverviewAccess,
  routes: (api, access) =>
    resource(api)
      .get(
        paths.accessibility,
        async ({ call }) => formAnswer(accessibilityPage(await gatherReport(call), call.site)),
        { check: { formats: PAGE_FORMATS, access } },
      )
      .post(paths.accessibility, async ({ call, body }) => save(call, body), {
        check: { form: 'large', formats: PAGE_FORMATS, access },
        body: texts,
      }),
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
  return formAnswer(accessibilityPage(data, call.site), 422);
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
