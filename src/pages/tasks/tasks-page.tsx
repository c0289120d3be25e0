import { momentInWords } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { paths } from '../../paths.ts';
import type { ApiServices } from '../../web/api-services.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { formAnswer } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import type { HtmlPage } from '../../web/respond.ts';
import { defineAdminPage } from '../admin/define-admin-page.ts';
import { PostButton } from '../admin/post-button.tsx';
import { reportPage } from '../admin/report-frame.tsx';
import { DataTable } from '../data-table.tsx';
import { gatherTasks, type Task } from './gather-tasks.ts';

/** The page of all work in the background: what runs, how far it is, and how the last work ended. */
export const tasksAdminPage = defineAdminPage({
  path: paths.tasks,
  label: 'Tasks',
  description: 'What the servers do in the background: how far it is, how it ended, and what failed.',
  permission: 'administer site configuration',
  routes: (api, access) =>
    resource(api).get(paths.tasks, async ({ call }) => formAnswer(tasksPage(await gatherTasks(call), call)), {
      check: { formats: PAGE_FORMATS, access },
    }),
});

function tasksPage(tasks: readonly Task[], { api, formToken, site }: Call): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const running = tasks.filter(({ isRunning }) => isRunning);
  const ended = tasks.filter(({ isRunning }) => !isRunning);
  return reportPage({
    site,
    title: 'Tasks',
    modules: running.length > 0 ? ['progress.js'] : [],
    lead: 'Bulk changes, checks of stored files, imports of tables, scans for derivatives, builds of the search index, and deletions with many references.',
    children: (
      <>
        {api.failures.size > 0 && <Failures failures={api.failures} />}
        <section>
          <h2>Running</h2>
          {running.length === 0 ? (
            <p>Nothing runs at present.</p>
          ) : (
            <TaskTable label="Running tasks" tasks={running} formToken={formToken} root={root} />
          )}
        </section>
        {ended.length > 0 && (
          <section>
            <h2>Ended or interrupted</h2>
            <TaskTable label="Ended or interrupted tasks" tasks={ended} formToken={formToken} root={root} />
          </section>
        )}
      </>
    ),
  });
}

function Failures({ failures }: { readonly failures: ApiServices['failures'] }) {
  return (
    <section>
      <h2>Failing on this server</h2>
      <ul>
        {[...failures].map(([message, { reason, since }]) => (
          <li key={message}>
            {message.charAt(0).toUpperCase() + message.slice(1)}: {reason}
            <p class="advice">Since {momentInWords(since)}. The server tries again; its log has the details.</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Props {
  readonly formToken: string;
  readonly root: string;
}

function TaskTable({ label, tasks, ...props }: Props & { readonly label: string; readonly tasks: readonly Task[] }) {
  return (
    <DataTable label={`${label}, as a table`} heads={['Task', 'Kind', 'State', 'Begun']}>
      {tasks.map((task) => (
        <TaskRow key={`${task.kind} ${task.id}`} task={task} {...props} />
      ))}
    </DataTable>
  );
}

function TaskRow({ task, formToken, root }: Props & { readonly task: Task }) {
  const { kind, id, about, path, isRunning, progress, problem, startedAt, stop } = task;
  return (
    <tr>
      <th scope="row" dir="auto">
        {path === undefined ? about : <a href={root + path}>{about}</a>}
      </th>
      <td>{kind}</td>
      <td>
        <span data-live={isRunning ? `${kind} ${id}` : undefined}>{progress}</span>
        {problem && <p class="advice">{problem}</p>}
        {stop && (
          <PostButton
            action={root + stop.path}
            formToken={formToken}
            label="Stop"
            about={about}
            fields={stop.fields ?? {}}
            isSecondary
          />
        )}
      </td>
      <td>{startedAt !== undefined && momentInWords(startedAt)}</td>
    </tr>
  );
}
