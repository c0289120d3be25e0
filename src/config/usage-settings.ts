import { text, yesOrNo } from './entry-types.ts';
import { setting } from './setting.ts';

/** The settings of the usage statistics. */
export const USAGE_SETTINGS = {
  /** True if views of pages and downloads of files are counted. */
  counts: setting('usage.count', yesOrNo, { default: true }),
  /** True if the page of an item shows how often it was used. */
  isShown: setting('usage.showOnItems', yesOrNo, { default: false }),
  /** The file of user agents that do not count. Undefined: `config/counter-robots.json`. */
  robotsFile: setting('usage.robots', text('the path of a file')),
};
