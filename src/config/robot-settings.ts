import { ROBOT_POLICIES } from '../http/robots-text.ts';
import { choice, number, text } from './entry-types.ts';
import { setting } from './setting.ts';

const MAX_BUDGET = 1_000_000;
const NETWORK_BUDGET = 250;

/** The settings for robots. */
export const ROBOT_SETTINGS = {
  /** The robots that `/robots.txt` admits. */
  policy: setting('robots.policy', choice(ROBOT_POLICIES, `one of ${ROBOT_POLICIES.join(', ')}`), {
    default: ROBOT_POLICIES[0],
  }),
  /** The expensive work for each network of strangers, in milliseconds a second; 0: no limit. */
  networkBudget: setting('robots.networkBudget', number(0, MAX_BUDGET), { default: NETWORK_BUDGET }),
  /** That for all strangers together. Undefined: depends on the cores. */
  totalBudget: setting('robots.totalBudget', number(0, MAX_BUDGET)),
  /** The site's own list of robots, which is merged over the default one. */
  listFile: setting('robots.list', text('the path of a file')),
};
