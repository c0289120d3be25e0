import { ROBOT_POLICIES } from '../http/robots-text.ts';
import { choice, text } from './entry-types.ts';
import { setting } from './setting.ts';

/** The settings for robots. */
export const ROBOT_SETTINGS = {
  /** The robots that `/robots.txt` admits. */
  policy: setting('robots.policy', choice(ROBOT_POLICIES, `one of ${ROBOT_POLICIES.join(', ')}`), {
    default: ROBOT_POLICIES[0],
  }),
  /** The site's own list of robots, which is merged over the default one. */
  listFile: setting('robots.list', text('the path of a file')),
};
