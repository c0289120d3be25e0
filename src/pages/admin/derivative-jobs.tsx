import { momentInWords } from '../../base/in-words.ts';
import type { ReportedJob } from '../../jobs/report-jobs.ts';
import { entityPath } from '../../paths.ts';
import { DataTable } from '../data-table.tsx';
import { type DerivativesData, STATE_WORDS, statusInWords } from './job-words.ts';

interface Props {
  readonly data: DerivativesData;
  readonly root: string;
}

/** The table of the jobs of one page. */
export function DerivativeJobs({ data, root }: Props) {
  const { jobs } = data.report;
  if (jobs.length === 0) return <p>No job matches.</p>;
  return (
    <DataTable
      label="Jobs"
      heads={['Job', 'Item', 'State', 'Created', ...(data.formToken !== undefined ? ['Change'] : [])]}
    >
      {jobs.map((job) => (
        <Job key={job.id} job={job} data={data} root={root} />
      ))}
    </DataTable>
  );
}

function Job({ job, data: { labels, formToken }, root }: Props & { readonly job: ReportedJob }) {
  const { id, action, nodeId, mediaId, sourceType, createdAt, endedAt } = job;
  return (
    <tr>
      <th scope="row">
        {action}
        <p class="advice">
          Job {id}, from {sourceType}
        </p>
      </th>
      <td>
        <a href={root + entityPath.node(nodeId)} dir="auto">
          {labels.get(nodeId) ?? `Item ${nodeId}`}
        </a>
        {mediaId !== null && (
          <p class="advice">
            <a href={root + entityPath.media(mediaId)}>Its source</a>
          </p>
        )}
      </td>
      <td>
        <State job={job} />
      </td>
      <td>
        {momentInWords(createdAt)}
        {endedAt !== null && <p class="advice">ended {momentInWords(endedAt)}</p>}
      </td>
      {formToken !== undefined && (
        <td class="buttons">
          <Buttons job={job} />
        </td>
      )}
    </tr>
  );
}

function State({ job }: { readonly job: ReportedJob }) {
  const { state, attempts, dueAt, message, stderr } = job;
  const reason = state === 'done' ? undefined : statusInWords(job);
  return (
    <>
      {STATE_WORDS[state]}
      {attempts > 0 && state !== 'done' && `, ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}`}
      {reason && <p class="advice">{reason}</p>}
      {message && <p class="advice">{message}</p>}
      {stderr && (
        <p class="advice">
          <code>{stderr}</code>
        </p>
      )}
      {dueAt !== null && attempts > 0 && <p class="advice">next attempt {momentInWords(dueAt)}</p>}
    </>
  );
}

const IS_RETRIED = new Set<ReportedJob['state']>(['queued', 'waiting', 'failed']);
const IS_CANCELLED = new Set<ReportedJob['state']>(['queued', 'running', 'waiting', 'failed']);

function Buttons({ job: { id, state } }: { readonly job: ReportedJob }) {
  return (
    <>
      {IS_RETRIED.has(state) && <JobButton name="retry" label="Retry" id={id} />}
      {IS_CANCELLED.has(state) && <JobButton name="cancel" label="Cancel" id={id} />}
    </>
  );
}

function JobButton({ name, label, id }: { readonly name: string; readonly label: string; readonly id: number }) {
  return (
    <button type="submit" class="button quiet small" name={name} value={id}>
      {label}
      <span class="unseen"> job {id}</span>
    </button>
  );
}
