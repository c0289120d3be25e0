import type { AccessRights } from './access-rules.ts';

/** What rules close, in the words of vocabularies that other services know. */
export interface AccessStatement {
  /** The concept of COAR Access Rights 1.0 (https://vocabularies.coar-repositories.org/access_rights/). */
  readonly coar: string;
  /** Its English label. */
  readonly label: string;
  /** The term of `info:eu-repo/semantics`. */
  readonly euRepo: string;
  /** The day from which it is open; undefined without an end. */
  readonly until: string | undefined;
}

const COAR = 'http://purl.org/coar/access_right/';
const EU_REPO = 'info:eu-repo/semantics/';

const EMBARGOED = { coar: `${COAR}c_f1cf`, label: 'embargoed access', euRepo: `${EU_REPO}embargoedAccess` };
const RESTRICTED = { coar: `${COAR}c_16ec`, label: 'restricted access', euRepo: `${EU_REPO}restrictedAccess` };
const METADATA_ONLY = { coar: `${COAR}c_14cb`, label: 'metadata only access', euRepo: `${EU_REPO}closedAccess` };

/** Returns the statement of what rules close: an embargo has an end, and restricted access lets somebody in or answers requests. */
export function accessStatement({ level, until, contact, admitsSome }: AccessRights): AccessStatement {
  if (until !== undefined) return { ...EMBARGOED, until };
  if (admitsSome || contact !== undefined) return { ...RESTRICTED, until };
  // COAR has no concept for a closed description: those who read it are let in.
  return level === 'closed' ? { ...RESTRICTED, euRepo: METADATA_ONLY.euRepo, until } : { ...METADATA_ONLY, until };
}

/** Returns the sentences that tell a reader why something is closed, and until when. */
export function accessWords({ level, until, reason }: AccessRights): string[] {
  const closed = level === 'closed' ? 'The item is closed' : 'The files are closed';
  const end = until === undefined ? [] : [`${closed} until ${until}.`];
  const why = reason?.trim().replace(/(?<![.!?])$/, '.') ?? '';
  if (why !== '') return [why, ...end];
  return until === undefined ? [`${closed}.`] : end;
}
