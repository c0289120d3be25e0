import { isoTime } from '../../base/in-words.ts';
import type { HarvestFormat } from '../../model/harvest-model.ts';
import { findPage, type HarvestedRow, type RecordPage } from './find-records.ts';
import { findSets } from './find-sets.ts';
import type { HarvestServices, HarvestSite } from './harvest-services.ts';
import { OaiError } from './oai-document.ts';
import type { OaiRequest, Selection } from './parse-request.ts';
import {
  type ListState,
  openResumptionToken,
  type Position,
  resumptionToken,
  TOKEN_LIFETIME_S,
} from './resumption-token.ts';
import { writeHeader, writeRecords } from './write-records.ts';

type ListRequest = Extract<OaiRequest, { verb: 'ListIdentifiers' | 'ListRecords' }>;

/** Maximum size of the documents of a response: a libSQL server returns at most 10 MB. */
const MAX_BYTES = 4_000_000;

/** Returns the format of a prefix. Throws `cannotDisseminateFormat` for an unknown one. */
export function formatOf({ model }: HarvestServices, prefix: string): HarvestFormat {
  const { formats } = model.harvest;
  const format = formats.get(prefix);
  if (format === undefined)
    throw new OaiError(
      'cannotDisseminateFormat',
      `The metadataPrefix must be one of ${[...formats.keys()].join(', ')}.`,
    );
  return format;
}

/** Returns a part of the list of records or of their headers (OAI-PMH 2.0, 4.3 and 4.5). */
export async function listRecords(services: HarvestServices, site: HarvestSite, request: ListRequest): Promise<string> {
  const { verb } = request;
  const { selection, position } = openList(services, request);
  const format = formatOf(services, selection.metadataPrefix);
  const sets = await findSets(services);
  if (selection.set !== undefined && sets.names.size === 0) throw noSets();
  const records = await findPage(services, selection, sets, position, services.pageSize);
  const page = verb === 'ListRecords' ? withinBytes(records) : records;
  if (page.rows.length === 0)
    throw new OaiError('noRecordsMatch', 'No records match from, until, set and metadataPrefix.');
  const entries =
    verb === 'ListRecords'
      ? await writeRecords(services, site, format, page.rows, sets)
      : page.rows.map((row) => writeHeader(site, row, sets));
  const end = endOf(page, position);
  entries.push(writeToken(services, { verb, selection, position: end }, position?.cursor ?? 0, page.hasMore));
  return `<${verb}>${entries.join('')}</${verb}>`;
}

function openList(
  services: HarvestServices,
  request: ListRequest,
): { selection: Selection; position: Position | undefined } {
  if ('selection' in request) return { selection: request.selection, position: undefined };
  const { selection, position } = openResumptionToken(
    request.resumptionToken,
    request.verb,
    services.now(),
    services.secret,
  );
  // The configuration may have changed since.
  if (selection === undefined || !services.model.harvest.formats.has(selection.metadataPrefix))
    throw new OaiError('badResumptionToken', 'The resumptionToken is of a format that this repository no longer has.');
  return { selection, position };
}

export function noSets(): OaiError {
  return new OaiError('noSetHierarchy', 'This repository has no sets: it has no collections.');
}

/** Returns the beginning of a page whose documents are not too large together, at least one. */
function withinBytes(page: RecordPage): RecordPage {
  let bytes = 0;
  const end = page.rows.findIndex((row, index) => {
    bytes += row.bytes;
    return index > 0 && bytes > MAX_BYTES;
  });
  return end < 0 ? page : { ...page, rows: page.rows.slice(0, end), hasMore: true };
}

function endOf({ rows, size }: RecordPage, before: Position | undefined): Position {
  const { stamp, nid } = rows.at(-1) as HarvestedRow;
  return { stamp, nid, cursor: (before?.cursor ?? 0) + rows.length, size: size ?? before?.size ?? rows.length };
}

/**
 * Returns the token for the rest of a list, the empty one of its last part, or nothing for a list in one part (OAI-PMH 2.0,
 * 3.5). `cursor` is the number of entries before this part.
 */
export function writeToken(
  { now, secret }: Pick<HarvestServices, 'now' | 'secret'>,
  state: ListState,
  cursor: number,
  hasMore: boolean,
): string {
  if (!hasMore && cursor === 0) return '';
  // Records that changed during the harvest are listed a second time.
  const size = Math.max(state.position.size, state.position.cursor + (hasMore ? 1 : 0));
  const figures = `completeListSize="${size}" cursor="${cursor}"`;
  if (!hasMore) return `<resumptionToken ${figures}/>`;
  const expires = isoTime(now() + TOKEN_LIFETIME_S);
  return `<resumptionToken expirationDate="${expires}" ${figures}>${resumptionToken(state, now(), secret)}</resumptionToken>`;
}
