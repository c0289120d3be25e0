import { countInWords, numberText } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { paths } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { Select, TextInput } from '../forms/field.tsx';
import { FormToken } from '../forms/form-page.tsx';
import { DerivativeJobs } from './derivative-jobs.tsx';
import { ALL_ACTIONS, type DerivativesData, STATE_WORDS } from './job-words.ts';
import { reportPage } from './report-frame.tsx';

type Filter = DerivativesData['filter'];

/** Returns the page of derivative jobs. */
export function derivativesPage(data: DerivativesData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { page, hasMore, filter } = data;
  const pageLink = (to: number) => root + addressOf(filter, to);
  return reportPage({
    site,
    title: 'Derivatives',
    lead: 'Thumbnails, texts and other files that are made of uploaded ones. Each line is a job for one of them, the newest first.',
    children: (
      <>
        <States data={data} root={root} />
        <FilterForm data={data} root={root} />
        {data.formToken === undefined ? (
          <DerivativeJobs data={data} root={root} />
        ) : (
          <form method="post" action={root + paths.derivatives}>
            <FormToken token={data.formToken} />
            <RetryAll data={data} />
            <DerivativeJobs data={data} root={root} />
          </form>
        )}
        {(page > 0 || hasMore) && (
          <nav class="pager" aria-label="Pages of this list">
            <ul>
              {page > 0 && (
                <li>
                  <a rel="prev" href={pageLink(page - 1)}>
                    Newer jobs
                  </a>
                </li>
              )}
              {hasMore && (
                <li>
                  <a rel="next" href={pageLink(page + 1)}>
                    Older jobs
                  </a>
                </li>
              )}
            </ul>
          </nav>
        )}
      </>
    ),
  });
}

function addressOf({ state, action, nodeId }: Filter, page = 0): string {
  const query = new URLSearchParams({
    ...(state && { state }),
    ...(action && { action }),
    ...(nodeId !== undefined && { node: String(nodeId) }),
    ...(page > 0 && { page: String(page) }),
  });
  return query.size === 0 ? paths.derivatives : `${paths.derivatives}?${query}`;
}

type PartProps = { readonly data: DerivativesData; readonly root: string };

function States({ data: { report, filter }, root }: PartProps) {
  return (
    <nav aria-label="Jobs by state">
      <ul class="chips">
        {Object.entries(STATE_WORDS).map(([name, words]) => {
          const state = name as keyof typeof STATE_WORDS;
          const isChosen = filter.state === state;
          return (
            <li key={state}>
              <a
                href={root + addressOf({ ...filter, state: isChosen ? undefined : state })}
                aria-current={isChosen ? 'true' : undefined}
              >
                {words} {numberText(report.counts[state])}
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function FilterForm({ data: { actions, filter }, root }: PartProps) {
  return (
    <form method="get" action={root + paths.derivatives} class="filter">
      {filter.state && <input type="hidden" name="state" value={filter.state} />}
      <Select
        name="action"
        label="Action"
        value={filter.action}
        options={actions.map((action) => ({ value: action, label: action }))}
        none="All actions"
      />
      <TextInput
        name="node"
        label="Number of the item"
        inputMode="numeric"
        value={filter.nodeId === undefined ? '' : String(filter.nodeId)}
        isShort
      />
      <button class="button quiet" type="submit">
        Filter
      </button>
    </form>
  );
}

function RetryAll({ data: { report, filter } }: { readonly data: DerivativesData }) {
  const { failed } = report.counts;
  if (failed === 0) return null;
  const { action } = filter;
  return (
    <p>
      <button type="submit" class="button quiet" name="retry_failed" value={action ?? ALL_ACTIONS}>
        {action === undefined ? `Retry ${countInWords(failed, 'failed job')}` : `Retry all failed jobs of ${action}`}
      </button>
    </p>
  );
}
