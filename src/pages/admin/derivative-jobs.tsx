import { momentInWords } from '../../base/in-words.ts';
import { entityPath, paths } from '../../paths.ts';
import type { DerivativesData, ReportedJob } from '../../representation/derivatives-data.ts';
import { STATE_WORDS, statusInWords } from './job-words.ts';
import { PostButton } from './post-button.tsx';

interface Props {
  readonly data: DerivativesData;
  readonly root: string;
}

/** The table of the jobs of one page. */
export function DerivativeJobs({ data, root }: Props) {
  const { jobs } = data.report;
  if (jobs.length === 0) return <p>No job matches.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area must be reachable by the keyboard
    <section class="scrolls" tabIndex={0} aria-label="Jobs">
      <table>
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col">Item</th>
            <th scope="col">State</th>
            <th scope="col">Created</th>
            {data.formToken !== undefined && <th scope="col">Change</th>}
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <Job key={job.id} job={job} data={data} root={root} />
          ))}
        </tbody>
      </table>
    </section>
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
        <td>
          <Buttons job={job} formToken={formToken} root={root} />
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

function Buttons({
  job,
  formToken,
  root,
}: {
  readonly job: ReportedJob;
  readonly formToken: string;
  readonly root: string;
}) {
  const { id, state } = job;
  const shared = { action: root + paths.derivatives, formToken, about: `job ${id}`, isSecondary: true };
  return (
    <>
      {IS_RETRIED.has(state) && <PostButton {...shared} label="Retry" fields={{ act: 'retry', job: String(id) }} />}
      {IS_CANCELLED.has(state) && <PostButton {...shared} label="Cancel" fields={{ act: 'cancel', job: String(id) }} />}
    </>
  );
}
