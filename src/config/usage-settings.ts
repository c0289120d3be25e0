import { text, yesOrNo } from './entry-types.ts';
import { setting } from './setting.ts';

/** The settings of the usage statistics. */
export const USAGE_SETTINGS = {
  /** True if views of pages and downloads of files are counted. */
  counts: setting('usage.count', yesOrNo, { default: true }),
  /** The file of user agents that do not count. Undefined: `config/counter-robots.json`. */
  robotsFile: setting('usage.robots', text('the path of a file')),
};
