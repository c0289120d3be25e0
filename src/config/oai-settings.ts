import { number, text } from './entry-types.ts';
import { setting } from './setting.ts';

/** As the schema of OAI-PMH has it: a domain with at least one dot. */
const EMAIL = /^\S+@(\S+\.)+\S+$/;
const MAX_PAGE_SIZE = 5_000;

/** The settings of OAI-PMH. */
export const OAI_SETTINGS = {
  /** Undefined: `webmaster` at the host of the repository. */
  adminEmail: setting('oai.adminEmail', text('an e-mail address such as library@example.org', parseEmail)),
  /** The maximum number of records of a response. */
  pageSize: setting('oai.pageSize', number(1, MAX_PAGE_SIZE), { default: 500 }),
};

function parseEmail(entry: string): string {
  if (EMAIL.test(entry)) return entry;
  throw new RangeError(`must be an e-mail address such as library@example.org, found "${entry}"`);
}
