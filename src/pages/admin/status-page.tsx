import { countInWords, momentInWords } from '../../base/in-words.ts';
import { siteRoot } from '../../field-types/display/addresses.ts';
import { paths } from '../../paths.ts';
import { resource } from '../../web/check.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { type HtmlPage, pageRepresentation } from '../../web/respond.ts';
import type { Site } from '../../web/site.ts';
import type { StatusGroup, StatusReport, StatusState } from '../../web/status-report.ts';
import { defineAdminPage } from './define-admin-page.ts';
import { reportPage } from './report-frame.tsx';

/** The page of the state of the running repository. */
export const statusAdminPage = defineAdminPage({
  path: paths.statusReport,
  label: 'Status',
  description: 'Versions, database, storage, programs, queue and backups, with what to do.',
  permission: 'access site reports',
  routes: (api, access) =>
    resource(api).get(
      paths.statusReport,
      async ({ call }) => pageRepresentation(call, statusPage(await api.readStatus(), call.site)),
      { check: { formats: PAGE_FORMATS, access } },
    ),
});

const WORDS: Readonly<Record<StatusState, string>> = { fine: 'Fine', look: 'Look at this', fix: 'Fix this' };

function statusPage({ at, groups }: StatusReport, site: Site): HtmlPage {
  const root = siteRoot(site.baseUrl);
  return reportPage({
    site,
    title: 'Status',
    lead: `${summary(groups)} Read at ${momentInWords(at)}.`,
    children: groups.map((group) => <Group key={group.title} {...group} root={root} />),
  });
}

function Group({ title, lines, root }: StatusGroup & { readonly root: string }) {
  return (
    <section>
      <h2>{title}</h2>
      <table class="facts-table">
        <thead class="unseen">
          <tr>
            <th scope="col">Part</th>
            <th scope="col">Found</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ label, value, state, advice, path }) => (
            <tr key={label} class={state === 'fine' ? undefined : 'is-marked'}>
              <th scope="row">{label}</th>
              <td>
                {value}
                {advice && (
                  <p class="advice">
                    {advice} {path && <a href={root + path}>Open the report</a>}
                  </p>
                )}
              </td>
              <td>
                <StateMark state={state} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function summary(groups: readonly StatusGroup[]): string {
  const lines = groups.flatMap((group) => group.lines);
  const count = (state: StatusState) => lines.filter((line) => line.state === state).length;
  const [toFix, toLook] = [count('fix'), count('look')];
  if (toFix + toLook === 0) return 'Everything is in order.';
  const parts = [
    ...(toFix > 0 ? [`${countInWords(toFix, 'part')} to fix`] : []),
    ...(toLook > 0 ? [`${countInWords(toLook, 'part')} to look at`] : []),
  ];
  return `${parts.join(' and ')}; the others are in order.`;
}

/** Shows the state of a part in words. */
function StateMark({ state }: { readonly state: StatusState }) {
  return <span class={`state state-${state}`}>{WORDS[state]}</span>;
}
