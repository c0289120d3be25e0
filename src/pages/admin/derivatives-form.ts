import { type Static, Type as t } from '@sinclair/typebox';
import { malformed } from '../../base/errors.ts';
import { countInWords } from '../../base/in-words.ts';
import { cancelJob, retryFailedJobs, retryJob } from '../../jobs/change-jobs.ts';
import { type ReportFilter, reportJobs } from '../../jobs/report-jobs.ts';
import { paths } from '../../paths.ts';
import { findItemLabels } from '../../repository/content/lists/find-item-labels.ts';
import type { Page } from '../../repository/content/lists/lists.ts';
import { type Call, doesNotExist, parseId } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer, seeOther } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { defineAdminPage, mayConfigure } from './define-admin-page.ts';
import { derivativesPage } from './derivatives-page.tsx';
import { ALL_ACTIONS } from './job-words.ts';

/** The form of the page of derivative jobs. */
const derivativesForm = t.Object({
  retry: t.Optional(t.String({ description: 'The id of a job to retry.' })),
  cancel: t.Optional(t.String({ description: 'The id of a job to cancel.' })),
  retry_failed: t.Optional(
    t.String({ description: `The action whose failed jobs are retried; ${ALL_ACTIONS} for all actions.` }),
  ),
});

/** The page of derivative jobs. Its address also answers JSON: `api/derivatives` reads it. */
export const derivativesAdminPage = defineAdminPage({
  path: paths.derivatives,
  label: 'Derivatives',
  description: 'Thumbnails, texts and other generated files: what waits, what failed, and why.',
  permission: 'access site reports',
  routes: (api) =>
    resource(api).post(paths.derivatives, async ({ call, body }) => changeDerivatives(call, body), {
      check: { form: 'signed', formats: PAGE_FORMATS, access: (call: Call) => call.allow(mayConfigure(call)) },
      body: derivativesForm,
    }),
});

/** Returns the page of derivative jobs. */
export async function answerDerivatives(call: Call, filter: ReportFilter, page: Page): Promise<Response> {
  const { services } = call.api;
  // One more than is shown tells whether there are more.
  const report = await reportJobs(services, filter, { ...page, limit: page.limit + 1 });
  const jobs = report.jobs.slice(0, page.limit);
  const labels = await findItemLabels(services.database, call.actor, [...new Set(jobs.map(({ nodeId }) => nodeId))]);
  const data = {
    report: { counts: report.counts, jobs },
    labels,
    actions: [...services.derivatives.rules.actions.keys()],
    filter: { state: filter.state, action: filter.action, nodeId: filter.nodeId },
    page: page.offset / page.limit,
    hasMore: report.jobs.length > page.limit,
    formToken: mayConfigure(call).isAllowed ? call.formToken : undefined,
  };
  return formAnswer(derivativesPage(data, call.site));
}

/** Retries or cancels jobs, and returns to the page of all jobs. Throws `not-found`, and `conflict` if a job cannot be changed. */
async function changeDerivatives(
  call: Call,
  { retry, cancel, retry_failed: failedOf }: Static<typeof derivativesForm>,
): Promise<Response> {
  const { services } = call.api;
  if (failedOf !== undefined) {
    const count = await retryFailedJobs(services, failedOf === ALL_ACTIONS ? undefined : failedOf);
    return seeOther(call, paths.derivatives, `${countInWords(count, 'job')} will be tried again.`);
  }
  const id = parseId(retry ?? cancel);
  if (retry === undefined && cancel === undefined) throw malformed('The form names no job.');
  if (id === undefined || !(await (retry === undefined ? cancelJob : retryJob)(services, id)))
    throw doesNotExist('job', retry ?? cancel ?? '');
  return seeOther(
    call,
    paths.derivatives,
    retry === undefined ? `Job ${id} is cancelled.` : `Job ${id} will be tried again.`,
  );
}
