import { countInWords, momentInWords, numberText } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { readableSize } from '../../field-types/readable.tsx';
import { entityPath, filePath, paths } from '../../paths.ts';
import type { FileProblem, OwnerItem } from '../../upkeep/fixity/find-runs.ts';
import { problemsOf, type VerifyRun } from '../../upkeep/fixity/verify-run.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { Pager } from '../cards/pager.tsx';
import { DataTable } from '../data-table.tsx';
import { scopeInWords } from './fixity-words.ts';
import { PostButton } from './post-button.tsx';
import { reportPage } from './report-frame.tsx';

/** A file that was not intact, with the items that the caller may view. */
export interface FixityProblem extends Omit<FileProblem, 'items'> {
  readonly items: readonly Pick<OwnerItem, 'id' | 'label'>[];
  /** True if an item uses the file that the caller may not view. */
  readonly hasHiddenItem: boolean;
}

/** The data of the page of fixity checks. */
export interface FixityData {
  readonly files: number;
  readonly intact: number;
  readonly neverChecked: number;
  /** The schedule in words. Undefined without one. */
  readonly schedule: string | undefined;
  readonly runs: readonly VerifyRun[];
  readonly problems: readonly FixityProblem[];
  readonly problemCount: number;
  /** The page of the problems, from 0, and their number on a page. */
  readonly page: number;
  readonly pageSize: number;
  /** The token of the forms. Undefined for a caller who may not start checks. */
  readonly formToken: string | undefined;
}

/** Returns the page of the checks of stored files. */
export function fixityPage(data: FixityData, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  return reportPage({
    site,
    title: 'Checks of stored files',
    modules: data.runs.some((run) => stateOf(run) === 'running') ? ['progress.js'] : [],
    lead: `A check reads each file and compares it with its checksum. ${amounts(data)}`,
    children: (
      <>
        <Problems data={data} root={root} />
        <Runs data={data} root={root} />
        {data.formToken !== undefined && <Start data={data} root={root} formToken={data.formToken} />}
      </>
    ),
  });
}

function amounts({ files, intact, neverChecked, problemCount }: FixityData): string {
  const never = neverChecked === 0 ? '' : `, ${countInWords(neverChecked, 'file')} never checked`;
  return `${countInWords(files, 'file')}: ${numberText(intact)} intact, ${countInWords(problemCount, 'problem')}${never}.`;
}

function Problems({ data, root }: { readonly data: FixityData; readonly root: string }) {
  const { problems, problemCount, page, pageSize } = data;
  return (
    <section>
      <h2>Files that are not intact</h2>
      {problemCount === 0 ? (
        <p>None of the checked files is damaged or missing.</p>
      ) : (
        <>
          <p class="lead">
            Restore such a file from a backup with <code>repo restore</code>, or upload it again to its media.
          </p>
          <DataTable label="Files that are not intact, as a table" heads={['File', 'Found', 'Item', 'Checked']}>
            {problems.map((problem) => (
              <Problem key={problem.fileId} problem={problem} root={root} />
            ))}
          </DataTable>
          <Pager
            page={page}
            pages={Math.ceil(problemCount / pageSize)}
            addressOf={(each) => `${root}${paths.fixity}?page=${each}`}
          />
        </>
      )}
    </section>
  );
}

const OUTCOMES = { damaged: 'Damaged', missing: 'Missing', unreadable: 'Cannot be read' } as const;

function Problem({ problem, root }: { readonly problem: FixityProblem; readonly root: string }) {
  const { uri, outcome, detail, mediaId, items, hasHiddenItem, at } = problem;
  return (
    <tr>
      <th scope="row">
        <a href={root + filePath(uri)}>{uri}</a>
        {mediaId !== undefined && (
          <p class="advice">
            <a href={root + entityPath.media(mediaId)}>Its media</a>
          </p>
        )}
      </th>
      <td>
        {OUTCOMES[outcome]}
        <p class="advice">{detail}</p>
      </td>
      <td>
        {items.map(({ id, label }) => (
          <a key={id} href={root + entityPath.node(id)} dir="auto">
            {label}
          </a>
        ))}
        {hasHiddenItem && 'An item that you may not view'}
        {items.length === 0 && !hasHiddenItem && 'No item uses it'}
      </td>
      <td>{momentInWords(at)}</td>
    </tr>
  );
}

function stateOf({ endedAt, isUnderWay }: VerifyRun): keyof typeof STATES {
  if (endedAt !== undefined) return 'complete';
  return isUnderWay ? 'running' : 'interrupted';
}

const STATES = { complete: 'Complete', running: 'Running', interrupted: 'Interrupted' } as const;

function Runs({ data: { runs, formToken, schedule }, root }: { readonly data: FixityData; readonly root: string }) {
  return (
    <section>
      <h2>Last checks</h2>
      <p>
        {schedule ?? (
          <>
            No checks are scheduled. A server repeats them with <code>repo storage verify --schedule 30d</code>.
          </>
        )}
      </p>
      {runs.length > 0 && (
        <DataTable label="Last checks, as a table" heads={['Begun', 'Files', 'Checked', 'Problems', 'State']}>
          {runs.map((run) => (
            <Run key={run.id} run={run} formToken={formToken} root={root} />
          ))}
        </DataTable>
      )}
    </section>
  );
}

interface RunProps {
  readonly run: VerifyRun;
  readonly formToken: string | undefined;
  readonly root: string;
}

function Run({ run, formToken, root }: RunProps) {
  const { id, scope, total, checked, bytes, startedAt, endedAt } = run;
  const state = stateOf(run);
  const begun = momentInWords(startedAt);
  return (
    <tr>
      <th scope="row">{begun}</th>
      <td>{scopeInWords(scope)}</td>
      <td data-live={state === 'running' ? `${id} checked` : undefined}>
        {numberText(checked)} of {countInWords(total, 'file')}, {readableSize(bytes, 'en')}
      </td>
      <td data-live={state === 'running' ? `${id} problems` : undefined}>{numberText(problemsOf(run))}</td>
      <td>
        {STATES[state]}
        {endedAt !== undefined && <p class="advice">{momentInWords(endedAt)}</p>}
        {state === 'running' && formToken !== undefined && (
          <PostButton
            action={root + paths.fixity}
            formToken={formToken}
            label="Stop"
            about={`the check of ${begun}`}
            fields={{ act: 'stop', run: String(id) }}
            isSecondary
          />
        )}
      </td>
    </tr>
  );
}

function Start({
  data,
  root,
  formToken,
}: {
  readonly data: FixityData;
  readonly root: string;
  readonly formToken: string;
}) {
  const isRunning = data.runs.some((run) => stateOf(run) === 'running');
  const isInterrupted = data.runs.some((run) => stateOf(run) === 'interrupted');
  return (
    <section>
      <h2>Check all files now</h2>
      <p>
        The server reads {countInWords(data.files, 'file')} in the background, at most 50 MB per second. An interrupted
        check continues where it was.
      </p>
      {isRunning ? (
        <p>A check is running.</p>
      ) : (
        <PostButton
          action={root + paths.fixity}
          formToken={formToken}
          label={isInterrupted ? 'Continue the check' : 'Start a check'}
          fields={{ act: 'start' }}
        />
      )}
    </section>
  );
}
