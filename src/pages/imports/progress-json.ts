import { type Static, Type as t } from '@sinclair/typebox';
import { closed, integerOrNull, oneOf } from '../../field-types/schemas.ts';
import type { TableUpload } from '../../transfer/uploads/upload.ts';
import { namedSchema } from '../../web/openapi/components.ts';
import { secondsLeftOf } from './import-words.ts';

const STATES = ['checking', 'checked', 'importing', 'stopped', 'failed', 'done', 'interrupted'] as const;
const count = t.Integer({ minimum: 0 });

/** The state of an uploaded table, for programs. */
export const progressSchema = namedSchema(
  'TableImport',
  closed({
    state: oneOf(STATES),
    part: t.Number({ minimum: 0, maximum: 1, description: 'The part of the work that is done.' }),
    rows: count,
    total_rows: { ...integerOrNull, description: 'Null while the table is read for the first time.' },
    nodes: count,
    files: count,
    bytes: count,
    terms: count,
    seconds_left: { ...integerOrNull, description: 'Null while it is not known.' },
    problems: { ...integerOrNull, description: 'The number of problems of the last check. Null without one.' },
  }),
);

/** Returns the state of an uploaded table as JSON text. */
export function progressJson({ state, progress, report }: TableUpload, now: number): string {
  const { part = 0, rows = 0, totalRows, nodes = 0, files = 0, bytes = 0, terms = 0 } = progress ?? {};
  const body: Static<typeof progressSchema> = {
    ...{ state, part, rows, total_rows: totalRows ?? null, nodes, files, bytes, terms },
    seconds_left: (progress && secondsLeftOf(progress, now)) ?? null,
    problems: report?.problemCount ?? null,
  };
  return JSON.stringify(body);
}
