import { momentInWords } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { paths } from '../../paths.ts';
import { resource } from '../../web/check.ts';
import { formAnswer } from '../../web/form-answer.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import type { HtmlPage } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import { defineAdminPage } from '../admin/define-admin-page.ts';
import { PostButton } from '../admin/post-button.tsx';
import { reportPage } from '../admin/report-frame.tsx';
import { ScrollFrame } from '../scroll-frame.tsx';
import { gatherTasks, type Task } from './gather-tasks.ts';

/** The page of all work in the background: what runs, how far it is, and how the last work ended. */
export const tasksAdminPage = defineAdminPage({
  path: paths.tasks,
  label: 'Tasks',
  description: 'What the servers do in the background: how far it is, how it ended, and what failed.',
  permission: 'administer site configuration',
  routes: (api, access) =>
    resource(api).get(
      paths.tasks,
      async ({ call }) => formAnswer(tasksPage(await gatherTasks(call), call.formToken, call.site)),
      { check: { formats: PAGE_FORMATS, access } },
    ),
});

function tasksPage(tasks: readonly Task[], formToken: string, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  const running = tasks.filter(({ isRunning }) => isRunning);
  const ended = tasks.filter(({ isRunning }) => !isRunning);
  return reportPage({
    site,
    title: 'Tasks',
    modules: running.length > 0 ? ['progress.js'] : [],
    lead: 'Bulk changes, checks of stored files, imports of tables, builds of the search index, and deletions with many references.',
    children: (
      <>
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

interface Props {
  readonly formToken: string;
  readonly root: string;
}

function TaskTable({ label, tasks, ...props }: Props & { readonly label: string; readonly tasks: readonly Task[] }) {
  return (
    <ScrollFrame label={`${label}, as a table`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Task</th>
            <th scope="col">Kind</th>
            <th scope="col">State</th>
            <th scope="col">Begun</th>
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => (
            <TaskRow key={`${task.kind} ${task.id}`} task={task} {...props} />
          ))}
        </tbody>
      </table>
    </ScrollFrame>
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
