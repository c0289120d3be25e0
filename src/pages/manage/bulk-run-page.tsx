import { numberText } from '../../base/in-words.ts';
import type { ItemState } from '../../bulk/bulk-action.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { entityPath, pathOf, revisionsPath } from '../../paths.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { Pager } from '../cards/pager.tsx';
import { DataTable } from '../data-table.tsx';
import { FormToken, formPage } from '../forms/form-page.tsx';
import { BulkActionForm } from './bulk-action-form.tsx';
import type { BulkRunData } from './bulk-data.ts';
import { progressText, runHeading, totalOf } from './bulk-words.ts';
import { ManageTabs } from './manage-tabs.tsx';
import { countedEntries, STATE_LABELS, timeText } from './manage-words.ts';

const STATES: readonly ItemState[] = ['done', 'failed', 'skipped', 'unchanged', 'waiting'];

/** Returns the page of a change of many items: its progress, what can be done about it, and the result of each item. */
export function bulkRunPage(data: BulkRunData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const { run } = data;
  const { membersOf } = run.parameters;
  const isActive = run.state === 'running' || run.state === 'preparing';
  return formPage({
    site,
    heading: runHeading(run),
    isWide: true,
    styles: ['table.css', 'cards.css', 'manage.css', 'bulk-action.css'],
    modules: isActive ? ['progress.js'] : [],
    children: (
      <>
        <ManageTabs site={site} root={root} />
        <section class="progress" aria-label="Progress">
          <progress
            max={totalOf(run)}
            value={totalOf(run) - run.counts.waiting}
            aria-labelledby="progress-text"
            data-live={isActive ? 'bar' : undefined}
          />
          <p id="progress-text" role="status" data-live={isActive ? 'text' : undefined}>
            {progressText(run)}
          </p>
          {run.message && <p>{run.message}</p>}
          <p class="soft small">
            Started on {timeText(run.createdAt)} (UTC) by <bdi>{run.userName ?? 'a deleted user'}</bdi>.{' '}
            {isActive && 'You may leave this page: the work goes on. '}
            {isActive && <a href={root + pathOf('bulkRun', { run: run.id })}>Refresh</a>}
          </p>
          {membersOf !== undefined && (
            <p>
              <a href={root + entityPath.node(membersOf)}>The item with these members</a>
            </p>
          )}
          <RunForms data={data} root={root} isActive={isActive} />
        </section>
        <Results data={data} root={root} />
        {run.type !== 'taxonomy_term' && run.action !== 'delete' && !isActive && (
          <BulkActionForm
            {...{ site, root, kind: run.type, items: `these ${countedEntries(totalOf(run), run.type)} again` }}
            source={{ of: 'run', text: String(run.id) }}
          />
        )}
      </>
    ),
  });
}

interface Props {
  readonly data: BulkRunData;
  readonly root: string;
}

/** The actions on a change: stop, continue, undo. */
function RunForms({ data: { run, token, mayUndo, isOwn }, root, isActive }: Props & { readonly isActive: boolean }) {
  const { counts, undoneBy } = run;
  const { undoes } = run.parameters;
  const form = (name: 'bulkStop' | 'bulkResume' | 'bulkUndo', label: string, help?: string) => (
    <form action={root + pathOf(name, { run: run.id })} method="post">
      {token !== undefined && <FormToken token={token} />}
      <button class="button quiet" type="submit">
        {label}
      </button>
      {help && <span class="soft small"> {help}</span>}
    </form>
  );
  const hasSession = token !== undefined;
  return (
    <div class="run-forms">
      {hasSession && isActive && form('bulkStop', 'Stop', 'What is done so far stays.')}
      {hasSession && isOwn && run.state === 'stopped' && counts.waiting > 0 && form('bulkResume', 'Continue')}
      {hasSession &&
        mayUndo &&
        form('bulkUndo', 'Undo', 'Restores the earlier values of items that no one has changed since.')}
      {undoneBy !== null && (
        <p>
          <a href={root + pathOf('bulkRun', { run: undoneBy })}>It has been undone.</a>
        </p>
      )}
      {undoes !== undefined && (
        <p>
          <a href={root + pathOf('bulkRun', { run: undoes })}>The change that it undoes</a>
        </p>
      )}
    </div>
  );
}

function Results({ data, root }: Props) {
  const { run, shown, results, page, pages } = data;
  const address = (state: ItemState) => `${root}${pathOf('bulkRun', { run: run.id })}?show=${state}`;
  const present = STATES.filter((state) => run.counts[state] > 0);
  const isGone = run.action === 'delete' && shown === 'done';
  return (
    <section aria-labelledby="results">
      <h2 id="results">Results</h2>
      <nav aria-label="Results by state">
        <ul class="chips">
          {present.map((state) => (
            <li key={state}>
              <a href={address(state)} aria-current={state === shown ? 'page' : undefined}>
                {STATE_LABELS[state]} <span class="soft">{numberText(run.counts[state])}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <DataTable label="Items" class="rows" caption={STATE_LABELS[shown]} heads={['Title', 'Result']}>
        {results.map(({ entityId, label, reason, revisionAfter }) => (
          <tr key={entityId}>
            <th scope="row">
              {isGone ? (
                <span dir="auto">{label ?? `Number ${entityId}`}</span>
              ) : (
                <a href={root + entityPath[run.type](entityId)} dir="auto">
                  {label ?? `Number ${entityId}`}
                </a>
              )}
            </th>
            <td>
              {reason ?? (isGone ? 'Deleted' : STATE_LABELS[shown])}
              {revisionAfter !== null && run.type !== 'taxonomy_term' && (
                <>
                  {' · '}
                  <a href={root + revisionsPath(run.type, entityId)}>
                    History<span class="unseen"> of {label}</span>
                  </a>
                </>
              )}
            </td>
          </tr>
        ))}
      </DataTable>
      <Pager page={page} pages={pages} addressOf={(each) => `${address(shown)}&page=${each}`} />
    </section>
  );
}
