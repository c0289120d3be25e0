import { countInWords } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { paths } from '../../paths.ts';
import type { DerivativesData } from '../../representation/derivatives-data.ts';
import type { Site } from '../../representation/page-data.ts';
import type { HtmlPage } from '../layout.tsx';
import { DerivativeJobs } from './derivative-jobs.tsx';
import { STATE_WORDS } from './job-words.ts';
import { PostButton } from './post-button.tsx';
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
        <RetryAll data={data} root={root} />
        <DerivativeJobs data={data} root={root} />
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
                {words} {report.counts[state].toLocaleString('en-GB')}
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
      <p>
        <label for="filter-state">State</label>
        <select id="filter-state" name="state">
          <option value="">All</option>
          {Object.entries(STATE_WORDS).map(([state, words]) => (
            <option key={state} value={state} selected={filter.state === state}>
              {words}
            </option>
          ))}
        </select>
      </p>
      <p>
        <label for="filter-action">Action</label>
        <select id="filter-action" name="action">
          <option value="">All</option>
          {actions.map((action) => (
            <option key={action} value={action} selected={filter.action === action}>
              {action}
            </option>
          ))}
        </select>
      </p>
      <p>
        <label for="filter-node">Number of the item</label>
        <input id="filter-node" name="node" inputMode="numeric" value={filter.nodeId ?? ''} />
      </p>
      <p>
        <button class="button quiet" type="submit">
          Show these
        </button>
      </p>
    </form>
  );
}

function RetryAll({ data: { report, filter, formToken }, root }: PartProps) {
  const { failed } = report.counts;
  if (formToken === undefined || failed === 0) return null;
  const { action } = filter;
  const what = action === undefined ? countInWords(failed, 'failed job') : `all failed jobs of ${action}`;
  return (
    <PostButton
      action={root + paths.derivatives}
      formToken={formToken}
      label={`Retry ${what}`}
      fields={{ act: 'retry-failed', ...(action !== undefined && { action }) }}
      isSecondary
    />
  );
}
