import { Type as t } from '@sinclair/typebox';
import { isNothing, toInteger } from './convert-value.ts';
import { defineFieldType, NO_WORDS } from './define-field-type.ts';
import { answered, textOrNull } from './schemas.ts';
import { notAChoice, wrongType } from './violation.ts';

/** Hidden, closed, open. */
const STATUSES: readonly unknown[] = [0, 1, 2];

/** The comment settings of an entity: its status, which can be set, and its number of comments. */
export const comment = defineFieldType({
  ...NO_WORDS,
  main: 'status',
  expectedMain: (value) => (STATUSES.includes(value) ? undefined : '0, 1 or 2'),
  properties: { status: 'number', comment_count: 'number' },
  answer: answered('CommentItem', {
    status: t.Integer({ minimum: 0, maximum: 2 }),
    cid: t.Integer(),
    last_comment_timestamp: t.Integer(),
    last_comment_name: textOrNull,
    last_comment_uid: t.Integer(),
    comment_count: t.Integer(),
  }),
  input: ['status'],
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
  show: () => undefined,
  isJsonInCells: true,
  module: 'comment',
  controls: () => undefined,
  widget: 'comment_default',
  storageSettings: { comment_type: 'comment' },
});
