import { Type as t } from '@sinclair/typebox';
import { malformed } from '../../base/errors.ts';
import { dayOf, monthStart, parseDay, type UsagePeriod } from '../../repository/usage/usage-days.ts';
import type { Call } from '../../web/call.ts';
import { parameter } from '../../web/parameters.ts';

/** The months before the present one that are shown unless others are wanted. */
const MONTHS_BEFORE = 11;

const dayParameter = (description: string) =>
  t.Optional(
    parameter(
      { type: 'string', description },
      (text) => text === '' || parseDay(text) !== undefined,
      (value, name) =>
        malformed(
          `The query parameter "${name}" must be a day such as 2026-11-28, found "${String(value).slice(0, 20)}".`,
        ),
    ),
  );

/** The parameters of a period. */
export const PERIOD_QUERY = {
  from: dayParameter('The first day, such as 2026-01-01 (default: the first of the month eleven months ago).'),
  to: dayParameter('The last day (default: today).'),
};

/** The parsed `PERIOD_QUERY`. */
export interface PeriodQuery {
  readonly from?: string;
  readonly to?: string;
}

/** Returns the period of a query. */
export function periodOf({ from = '', to = '' }: PeriodQuery, { api: { services } }: Call): UsagePeriod {
  const last = parseDay(to) ?? dayOf(services.now());
  return { first: parseDay(from) ?? monthStart(last, MONTHS_BEFORE), last };
}
