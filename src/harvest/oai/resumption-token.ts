import { openSealedText, sealText } from '../../auth/sealed-text.ts';
import { OaiError } from './oai-document.ts';
import type { ListVerb, Selection } from './parse-request.ts';

const PURPOSE = 'oai-pmh';
/** Within this time, a harvester may continue or repeat a request. */
export const TOKEN_LIFETIME_S = 86_400;

/** The end of the part of a list that was sent. */
export interface Position {
  /** The datestamp and the node of its last record. */
  readonly stamp: number;
  readonly nid: number;
  /** The number of entries up to it. */
  readonly cursor: number;
  /** The number of entries of the whole list when its first part was sent. */
  readonly size: number;
}

/** A list that goes on after a position. A list of sets has no selection. */
export interface ListState {
  readonly verb: ListVerb | 'ListSets';
  readonly selection: Selection | undefined;
  readonly position: Position;
}

/**
 * Returns a token for the rest of a list. It contains all that the next request needs, so that it is valid on every server,
 * and after a restart.
 */
export function resumptionToken({ verb, selection, position }: ListState, now: number, secret: Buffer): string {
  const { metadataPrefix = null, from = null, until = null, set = null } = selection ?? {};
  const { stamp, nid, cursor, size } = position;
  const members = [verb, metadataPrefix, from, until, set, stamp, nid, cursor, size, now + TOKEN_LIFETIME_S];
  return sealText(PURPOSE, JSON.stringify(members), secret);
}

type Members = [
  ListState['verb'],
  ...[metadataPrefix: string | null, from: number | null, until: number | null, set: number | null],
  ...[stamp: number, nid: number, cursor: number, size: number, expires: number],
];

/** Opens a token for a verb. Throws `badResumptionToken` for any other text, and for one that expired. */
export function openResumptionToken(
  token: string,
  verb: ListState['verb'],
  now: number,
  secret: Buffer,
): Omit<ListState, 'verb'> {
  const text = openSealedText(PURPOSE, token, secret);
  if (text === undefined)
    throw new OaiError('badResumptionToken', 'This repository did not issue the resumptionToken.');
  const [issuedFor, metadataPrefix, from, until, set, stamp, nid, cursor, size, expires] = JSON.parse(text) as Members;
  if (issuedFor !== verb)
    throw new OaiError('badResumptionToken', `The resumptionToken is of ${issuedFor}, not of ${verb}.`);
  if (expires < now) throw new OaiError('badResumptionToken', 'The resumptionToken has expired. Begin the list again.');
  const selection =
    metadataPrefix === null
      ? undefined
      : { metadataPrefix, from: from ?? undefined, until: until ?? undefined, set: set ?? undefined };
  return { selection, position: { stamp, nid, cursor, size } };
}
