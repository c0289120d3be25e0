import { dayText, monthStart, parseDay, type UsagePeriod } from '../../repository/usage/usage-days.ts';
import { COUNTER_DATA_TYPES, type CounterDataType } from './counter-data-type.ts';
import { type CounterException, counterException, counterFailure } from './counter-exceptions.ts';

/** The metrics of items, in the order of reports, with the numbers that they have. */
export const COUNTER_METRICS = {
  Total_Item_Investigations: 'views',
  Total_Item_Requests: 'downloads',
  Unique_Item_Investigations: 'uniqueViews',
  Unique_Item_Requests: 'uniqueDownloads',
} as const;
export type CounterMetric = keyof typeof COUNTER_METRICS;

const METRICS = Object.keys(COUNTER_METRICS) as CounterMetric[];
/** The metrics of the standard view of platforms, with those that the repository does not count. */
const STANDARD_METRICS = ['Searches_Platform', 'Total_Item_Requests', 'Unique_Item_Requests', 'Unique_Title_Requests'];
const METHODS = ['Regular', 'TDM'];
const MONTH = /^\d{4}-\d{2}$/;

/** The reports, by their names in addresses. */
export const COUNTER_REPORTS = {
  pr: { id: 'PR', name: 'Platform Report', description: 'The use of all items by type of content.' },
  pr_p1: { id: 'PR_P1', name: 'Platform Usage', description: 'The requests of all items by type of content.' },
  ir: { id: 'IR', name: 'Item Report', description: 'The use of each item.' },
} as const;
export type CounterReportName = keyof typeof COUNTER_REPORTS;

/** The months that reports have: their first days, since 1970. */
export interface AvailableMonths {
  readonly first: number;
  readonly last: number;
}

/** What a report shows. */
export interface CounterRequest {
  /** Whole months. */
  readonly period: UsagePeriod;
  readonly metrics: readonly CounterMetric[];
  readonly types: ReadonlySet<CounterDataType>;
  /** False if only requests of text mining are wanted, which are not told apart. */
  readonly isRegular: boolean;
  /** The header's filters. */
  readonly filters: Readonly<Record<string, string | readonly string[]>>;
  readonly exceptions: readonly CounterException[];
}

/** Parameters that say who asks, and of which site. */
const USUAL = ['customer_id', 'requestor_id', 'api_key', 'platform', 'begin_date', 'end_date'];
const FILTERS = ['metric_type', 'data_type', 'access_method'];
/** Parameters whose only supported value is the default. */
const ATTRIBUTES: Readonly<Record<string, string>> = { granularity: 'Month', include_parent_details: 'False' };

/**
 * Reads the parameters of a report. Unknown ones are ignored, and listed as exceptions. Throws CounterFailure for missing or invalid
 * dates.
 */
export function parseCounterRequest(
  report: CounterReportName,
  query: URLSearchParams,
  available: AvailableMonths,
): CounterRequest {
  const { period, exceptions: dateExceptions } = periodOf(query, available);
  const isStandard = report === 'pr_p1';
  const known = isStandard
    ? USUAL
    : [...USUAL, ...FILTERS, ...Object.keys(ATTRIBUTES), 'attributes_to_show', 'include_component_details'];
  const unknown = [...new Set(query.keys())].filter((name) => !known.includes(name));
  const filter = <Value extends string>(name: string, values: readonly Value[]) =>
    isStandard ? { chosen: [], wrong: [] } : chosenOf(query.get(name), values);
  const metric = filter('metric_type', METRICS);
  const type = filter('data_type', COUNTER_DATA_TYPES);
  const method = filter('access_method', METHODS);
  const attributes = isStandard ? [] : wrongAttributes(query);
  const wrong = [...metric.wrong, ...type.wrong, ...method.wrong];
  const hasComponents = !isStandard && /^true$/i.test(query.get('include_component_details') ?? '');
  return {
    period,
    metrics: metricsOf(isStandard, metric.chosen),
    types: new Set(type.chosen.length > 0 ? type.chosen : COUNTER_DATA_TYPES),
    isRegular: method.chosen.length === 0 || method.chosen.includes('Regular'),
    filters: {
      Begin_Date: dayText(period.first),
      End_Date: dayText(period.last),
      ...(isStandard && { Access_Method: ['Regular'], Metric_Type: STANDARD_METRICS }),
      ...(method.chosen.length > 0 && { Access_Method: method.chosen }),
      ...(type.chosen.length > 0 && { Data_Type: type.chosen }),
      ...(metric.chosen.length > 0 && { Metric_Type: metric.chosen }),
    },
    exceptions: [
      ...dateExceptions,
      ...(unknown.length > 0 ? [counterException(3050, unknown.join('|'))] : []),
      ...(wrong.length > 0 ? [counterException(3060, wrong.join('|'))] : []),
      ...(attributes.length > 0 ? [counterException(3062, attributes.join('|'))] : []),
      ...(hasComponents ? [counterException(3063)] : []),
    ],
  };
}

function metricsOf(isStandard: boolean, chosen: readonly CounterMetric[]): readonly CounterMetric[] {
  if (isStandard) return METRICS.filter((metric) => STANDARD_METRICS.includes(metric));
  return chosen.length > 0 ? METRICS.filter((metric) => chosen.includes(metric)) : METRICS;
}

/** Returns the values of a filter with `|` between them, and those that do not exist. */
function chosenOf<Value extends string>(
  text: string | null,
  values: readonly Value[],
): { readonly chosen: readonly Value[]; readonly wrong: readonly string[] } {
  const given = (text ?? '').split('|').filter((each) => each !== '');
  return {
    chosen: values.filter((value) => given.includes(value)),
    wrong: given.filter((each) => !values.some((value) => value === each)),
  };
}

function wrongAttributes(query: URLSearchParams): string[] {
  const others = Object.entries(ATTRIBUTES).flatMap(([name, only]) => {
    const value = query.get(name) ?? only;
    return value === only ? [] : [`${name}=${value}`];
  });
  return [...(query.get('attributes_to_show') ?? '').split('|').filter((each) => each !== ''), ...others];
}

function periodOf(query: URLSearchParams, available: AvailableMonths) {
  const missing = ['begin_date', 'end_date'].filter((name) => !query.get(name));
  if (missing.length > 0) throw counterFailure(400, 3020, `missing: ${missing.join(', ')}`);
  const [begin, end] = [monthOf(query, 'begin_date'), monthOf(query, 'end_date')];
  if (end < begin) throw counterFailure(400, 3020, 'end_date is before begin_date');
  if (begin > available.last)
    throw counterFailure(400, 3020, `begin_date: the last month that is available is ${monthText(available.last)}`);
  const isEarly = begin < available.first;
  const isLate = end > available.last;
  const last = isLate ? available.last : end;
  const exceptions = [
    ...(isLate ? [counterException(3031, `${monthText(monthStart(available.last, -1))} to ${monthText(end)}`)] : []),
    ...(isEarly
      ? [counterException(3032, `available: ${monthText(available.first)} to ${monthText(available.last)}`)]
      : []),
  ];
  return { period: { first: begin, last: monthStart(last, -1) - 1 }, exceptions };
}

/** Returns the first day of a month in the query. */
function monthOf(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? '';
  const day = parseDay(MONTH.test(text) ? `${text}-01` : text);
  if (day === undefined) throw counterFailure(400, 3020, `${name}: ${text.slice(0, 20)}`);
  return monthStart(day);
}

/** Formats the month of a day: `2026-11`. */
export function monthText(day: number): string {
  return dayText(day).slice(0, 7);
}
