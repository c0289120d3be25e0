import { isNothing, toInteger } from './convert-scalar.ts';
import type { FieldType } from './field-type.ts';
import { notAChoice, wrongType } from './messages.ts';

/** Hidden, closed, open. */
const STATUSES: readonly unknown[] = [0, 1, 2];

/** Whether an entity may be commented on, and how often it was; only the first can be set. */
export const comment: FieldType = {
  main: 'status',
  parse: (raw) => (isNothing(raw.status) ? undefined : { status: toInteger(raw.status) }),
  violations: ({ status }) => {
    if (!Number.isInteger(status ?? null)) return [wrongType('status')];
    return STATUSES.includes(status) ? [] : [notAChoice('status')];
  },
  complete: (item) => ({
    status: item.status ?? null,
    cid: item.cid ?? 0,
    last_comment_timestamp: item.last_comment_timestamp ?? 0,
    last_comment_name: item.last_comment_name ?? null,
    last_comment_uid: item.last_comment_uid ?? 0,
    comment_count: item.comment_count ?? 0,
  }),
};
