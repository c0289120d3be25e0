import { jsonTime } from '../../base/in-words.ts';
import type { Database } from '../../database/database.ts';
import type { ContentModel } from '../../model/content-model.ts';
import { entityPath } from '../../paths.ts';
import type { Actor } from '../../repository/actor.ts';
import { findCardsOf } from '../../repository/content/lists/find-cards.ts';
import { readUsage, type UsageNumbers, type UsageRow } from '../../repository/usage/find-usage.ts';
import { findModelUris, findUsageByModel } from '../../repository/usage/usage-models.ts';
import { type CounterDataType, counterDataType } from './counter-data-type.ts';
import { counterException } from './counter-exceptions.ts';
import {
  COUNTER_METRICS,
  COUNTER_REPORTS,
  type CounterMetric,
  type CounterReportName,
  type CounterRequest,
} from './counter-request.ts';

/** The customer to whom all use is attributed: nobody subscribes to a repository. */
export const THE_WORLD = {
  id: '0000000000000000',
  Institution_Name: 'The World',
  Institution_ID: { Proprietary: ['repo:0000000000000000'] },
} as const;

/** What reports read. */
export interface CounterServices {
  readonly database: Database;
  readonly model: ContentModel;
  /** The caller whose view decides which titles reports have. */
  readonly viewer: Actor;
  readonly siteName: string;
  readonly baseUrl: string;
  readonly registryRecord: string | undefined;
  /** Returns the seconds since 1970. */
  readonly now: () => number;
}

/** The counts of a metric by month. */
type Performance = Partial<Record<CounterMetric, Record<string, number>>>;

/** Writes a report as JSON, in parts. */
export async function* writeCounterReport(
  services: CounterServices,
  report: CounterReportName,
  request: CounterRequest,
): AsyncGenerator<string> {
  const entries = report === 'ir' ? itemEntries(services, request) : platformEntries(services, request);
  const first = await entries.next();
  yield `{"Report_Header":${JSON.stringify(headerOf(services, report, request, first.done === true))},"Report_Items":[`;
  if (!first.done) {
    const [start, end] = report === 'ir' ? ['{"Items":[', ']}'] : [platformStart(services), ']}'];
    yield start + JSON.stringify(first.value);
    for await (const entry of entries) yield `,${JSON.stringify(entry)}`;
    yield end;
  }
  yield ']}';
}

const platformStart = ({ siteName }: CounterServices) =>
  `{"Platform":${JSON.stringify(siteName)},"Attribute_Performance":[`;

function headerOf(
  { siteName, registryRecord = '', now }: CounterServices,
  report: CounterReportName,
  { filters, exceptions }: CounterRequest,
  isEmpty: boolean,
): object {
  const { id, name } = COUNTER_REPORTS[report];
  const { Institution_Name, Institution_ID } = THE_WORLD;
  // Months that are not ready, or no longer there, have exceptions of their own.
  const isMissing = exceptions.some(({ Code }) => Code === 3031 || Code === 3032);
  const all = isEmpty && !isMissing ? [...exceptions, counterException(3030)] : exceptions;
  return {
    Report_Name: name,
    Report_ID: id,
    Release: '5.1',
    ...{ Institution_Name, Institution_ID },
    Report_Filters: filters,
    ...(all.length > 0 && { Exceptions: all }),
    Created: jsonTime(now()),
    Created_By: siteName,
    Registry_Record: registryRecord,
  };
}

/** The use of all items by their types. */
async function* platformEntries(services: CounterServices, request: CounterRequest): AsyncGenerator<object> {
  if (!request.isRegular) return;
  const rows = await findUsageByModel(services.database, request.period);
  const types = Map.groupBy(rows, ({ model }) => counterDataType(services.model, model));
  for (const [type, all] of [...types].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const entry = performanceOf(type, all, request);
    if (entry !== undefined) yield entry;
  }
}

/** The use of each item. The title of an item that the viewer may not view, or that was deleted, is empty. */
async function* itemEntries(services: CounterServices, request: CounterRequest): AsyncGenerator<object> {
  if (!request.isRegular) return;
  const { database, model, viewer, siteName, baseUrl } = services;
  for await (const rows of readUsage(database, 'item', request.period, 'month')) {
    const items = Map.groupBy(rows, ({ id }) => id);
    const ids = [...items.keys()];
    const [cards, uris] = await Promise.all([
      findCardsOf({ database, model }, viewer, ids),
      findModelUris(database, ids),
    ]);
    const titles = new Map(cards.map(({ id, label }) => [id, label]));
    for (const [id, own] of items) {
      const entry = performanceOf(counterDataType(model, uris.get(id)), own, request);
      if (entry === undefined) continue;
      yield {
        Item: titles.get(id) ?? '',
        Publisher: '',
        Platform: siteName,
        Item_ID: { Proprietary: `repo:${id}`, URI: baseUrl + entityPath.node(id) },
        Attribute_Performance: [entry],
      };
    }
  }
}

/** Returns the counts of a type. Undefined if the request leaves it out, or none is more than 0. */
function performanceOf(
  type: CounterDataType,
  rows: readonly (Omit<UsageRow, 'id'> & UsageNumbers)[],
  { types, metrics }: CounterRequest,
): object | undefined {
  if (!types.has(type)) return undefined;
  const performance: Performance = {};
  for (const metric of metrics) {
    const counts: Record<string, number> = {};
    for (const row of rows) {
      const count = row[COUNTER_METRICS[metric]];
      if (count > 0) counts[row.date] = (counts[row.date] ?? 0) + count;
    }
    if (Object.keys(counts).length > 0) performance[metric] = counts;
  }
  return Object.keys(performance).length === 0 ? undefined : { Data_Type: type, Performance: performance };
}
