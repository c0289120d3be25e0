import { Type as t } from '@sinclair/typebox';
import { ONE_LINE } from './entry-types.ts';
import { type EntryType, setting } from './setting.ts';

/** Validators and forms of the field show a value of `bag-info.txt` in one line. */
const MAX_CHARS = 250;

const line: EntryType<string> = {
  schema: t.String({
    minLength: 1,
    maxLength: MAX_CHARS,
    pattern: ONE_LINE,
    description: `text of at most ${MAX_CHARS} characters in one line`,
  }),
};

/** The sender of exported bags, in their bag-info.txt (RFC 8493, 2.2.2). Undefined: left out. */
export const BAG_SETTINGS = {
  sourceOrganization: setting('bags.sourceOrganization', line),
  organizationAddress: setting('bags.organizationAddress', line),
  contactName: setting('bags.contactName', line),
  contactPhone: setting('bags.contactPhone', line),
  contactEmail: setting('bags.contactEmail', line),
  externalDescription: setting('bags.externalDescription', line),
  bagGroupIdentifier: setting('bags.bagGroupIdentifier', line),
  internalSenderDescription: setting('bags.internalSenderDescription', line),
};
