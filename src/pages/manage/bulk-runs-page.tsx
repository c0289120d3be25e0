import type { BulkRun } from '../../bulk/find-runs.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { pathOf, paths } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { DataTable } from '../data-table.tsx';
import { formPage } from '../forms/form-page.tsx';
import { progressText, runHeading } from './bulk-words.ts';
import { ManageTabs } from './manage-tabs.tsx';
import { timeText } from './manage-words.ts';

/** Returns the list of changes of many items that a user has started. */
export function bulkRunsPage(runs: readonly BulkRun[], site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  return formPage({
    site,
    heading: 'Bulk changes',
    isWide: true,
    styles: ['table.css', 'manage.css'],
    children: (
      <>
        <ManageTabs site={site} root={root} path={paths.bulkRuns} />
        {runs.length === 0 ? (
          <p class="empty">
            You have changed nothing in bulk yet. Select items in <a href={root + paths.nodeOverview}>Content</a> or{' '}
            <a href={root + paths.mediaOverview}>Media</a>, and choose an action.
          </p>
        ) : (
          <RunTable runs={runs} root={root} />
        )}
      </>
    ),
  });
}

function RunTable({ runs, root }: { readonly runs: readonly BulkRun[]; readonly root: string }) {
  return (
    <DataTable label="Bulk changes" class="rows" heads={['Change', 'State', 'Failed or skipped', 'Started']}>
      {runs.map((run) => (
        <tr key={run.id}>
          <th scope="row">
            <a href={root + pathOf('bulkRun', { run: run.id })}>{runHeading(run)}</a>
          </th>
          <td>{progressText(run)}</td>
          <td class="number">{run.counts.failed + run.counts.skipped}</td>
          <td class="time">{timeText(run.createdAt)}</td>
        </tr>
      ))}
    </DataTable>
  );
}
