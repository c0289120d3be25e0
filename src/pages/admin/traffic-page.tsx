import { countInWords, momentInWords, numberText } from '../../base/in-words.ts';
import type { TrafficKind } from '../../http/traffic-counter.ts';
import { paths } from '../../paths.ts';
import { findLargest, findTrafficByHour, storeTraffic } from '../../repository/traffic/traffic-store.ts';
import type { Call } from '../../web/call.ts';
import { resource } from '../../web/check.ts';
import { PAGE_FORMATS } from '../../web/formats.ts';
import { type HtmlPage, pageRepresentation } from '../../web/respond.ts';
import { DataTable } from '../data-table.tsx';
import { defineAdminPage } from './define-admin-page.ts';
import { reportPage } from './report-frame.tsx';

const SHOWN = 30;
const SHOWN_HOURS = 24;
const HOUR_S = 3_600;

/** The page of the requests of the last hours. */
export const trafficAdminPage = defineAdminPage({
  path: paths.traffic,
  label: 'Traffic',
  description: 'Requests of the last hours by network, program and cost, and those that were refused.',
  permission: 'access site reports',
  routes: (api, access) =>
    resource(api).get(paths.traffic, async ({ call }) => pageRepresentation(call, await trafficPage(call)), {
      check: { formats: PAGE_FORMATS, access },
    }),
});

interface Sums {
  readonly requests: number;
  readonly refused: number;
  readonly milliseconds: number;
}

const HEADS: Readonly<Record<TrafficKind, string>> = { network: 'Network', agent: 'Program', work: 'Work' };
const TITLES: Readonly<Record<TrafficKind, string>> = {
  network: 'Networks',
  agent: 'Programs',
  work: 'Expensive work',
};

async function trafficPage({ api, site }: Call): Promise<HtmlPage> {
  const { database, now } = api.services;
  const hour = Math.floor(now() / HOUR_S);
  const since = hour - SHOWN_HOURS + 1;
  await storeTraffic(database, api.traffic.take(), hour);
  const kinds = ['work', 'network', 'agent'] as const;
  const [hours, ...largest] = await Promise.all([
    findTrafficByHour(database, since),
    ...kinds.map((kind) => findLargest(database, kind, since, SHOWN)),
  ]);
  const all = hours.reduce((sum, { requests }) => sum + requests, 0);
  const refused = hours.reduce((sum, each) => sum + each.refused, 0);
  return reportPage({
    site,
    title: 'Traffic',
    lead: `${countInWords(all, 'request')} in the last ${SHOWN_HOURS} hours, ${numberText(refused)} of them refused by a budget. Those of other processes are a minute old at most.`,
    children: (
      <>
        {kinds.map((kind, at) => (
          <section key={kind}>
            <h2>{TITLES[kind]}</h2>
            <SumTable label={TITLES[kind]} head={HEADS[kind]} rows={(largest[at] ?? []).map(named)} />
          </section>
        ))}
        <section>
          <h2>Hours</h2>
          <SumTable
            label="Hours"
            head="From"
            rows={hours.map((each) => ({ ...each, name: momentInWords(each.hour * HOUR_S) }))}
          />
        </section>
      </>
    ),
  });
}

const named = ({ name, ...sums }: Sums & { readonly name: string }) => ({ ...sums, name: name || 'All others' });

interface TableProps {
  readonly label: string;
  /** The heading of the first column. */
  readonly head: string;
  readonly rows: readonly (Sums & { readonly name: string })[];
}

function SumTable({ label, head, rows }: TableProps) {
  if (rows.length === 0) return <p>None so far.</p>;
  return (
    <DataTable label={`${label}, as a table`} heads={[head, 'Requests', 'Refused', 'Seconds of expensive work']}>
      {rows.map(({ name, requests, refused, milliseconds }) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td>{numberText(requests)}</td>
          <td>{numberText(refused)}</td>
          <td>{numberText(Math.round(milliseconds / 1_000))}</td>
        </tr>
      ))}
    </DataTable>
  );
}
