import { Type as t } from '@sinclair/typebox';
import { malformed } from '../../base/errors.ts';
import { RULE_LISTS, type RuleList } from '../../repository/access/find-ruled-items.ts';
import { parameter } from '../../web/parameters.ts';

/** The choice of a list. */
export const LIST_QUERY = {
  list: t.Optional(
    parameter<RuleList>(
      {
        type: 'string',
        enum: RULE_LISTS,
        description: 'Rules that end within 90 days (default), all with an end, all, or broken ones.',
      },
      (text) => RULE_LISTS.some((list) => list === text),
      (value) =>
        malformed(
          `The query parameter "list" must be one of ${RULE_LISTS.join(', ')}, found "${String(value).slice(0, 20)}".`,
        ),
    ),
  ),
};
