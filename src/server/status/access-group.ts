import { countInWords } from '../../base/in-words.ts';
import { paths } from '../../paths.ts';
import { findUsedRules } from '../../repository/access/find-ruled-items.ts';
import type { StatusGroup } from '../../web/status-report.ts';
import { fine, fix } from './status-line.ts';
import type { StatusParts } from './status-parts.ts';

/** Maximum number of broken rules that the status names. */
const MAX_NAMED = 5;

/** Returns the state of the access rules that items have. */
export async function accessGroup({ services: { access, database } }: StatusParts): Promise<StatusGroup> {
  await access.refresh();
  const rules = await findUsedRules(database, access, 'all');
  const broken = rules.filter(({ rule }) => rule.problem !== undefined);
  const closed = broken
    .slice(0, MAX_NAMED)
    .map(({ items, rule }) =>
      fix(
        'Broken access rule',
        `${rule.problem} ${countInWords(items, 'item')} with this rule and all below are closed.`,
        'Add the missing name to the configuration, or give the items another rule.',
        `${paths.accessReport}?list=broken`,
      ),
    );
  return {
    title: 'Access',
    lines: [
      fine('Rules of items', countInWords(rules.length, 'rule')),
      ...closed,
      ...(broken.length > MAX_NAMED
        ? [
            fix(
              'Broken access rules',
              countInWords(broken.length, 'rule'),
              'See the list.',
              `${paths.accessReport}?list=broken`,
            ),
          ]
        : []),
    ],
  };
}
