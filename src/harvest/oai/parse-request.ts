import { type Datestamp, parseDatestamp } from './datestamp.ts';
import { OaiError } from './oai-document.ts';

export type ListVerb = 'ListIdentifiers' | 'ListRecords';

/** The arguments that select the records of a list. */
export interface Selection {
  readonly metadataPrefix: string;
  /** Seconds since 1970, both included. */
  readonly from: number | undefined;
  readonly until: number | undefined;
  /** The node of a set. */
  readonly set: number | undefined;
}

/** The arguments of a request, `verb` included, as it has them. */
export type OaiParameters = readonly (readonly [name: string, value: string])[];

/** A request of OAI-PMH whose arguments are valid. */
export type OaiRequest =
  | { readonly verb: 'Identify' }
  | { readonly verb: 'ListMetadataFormats'; readonly identifier: string | undefined }
  | { readonly verb: 'ListSets'; readonly resumptionToken: string | undefined }
  | { readonly verb: 'GetRecord'; readonly identifier: string; readonly metadataPrefix: string }
  | { readonly verb: ListVerb; readonly selection: Selection }
  | { readonly verb: ListVerb; readonly resumptionToken: string };

type Verb = OaiRequest['verb'];

/** The arguments of a verb. `resumptionToken` is exclusive wherever it is allowed. */
interface Arguments {
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

const OF_LISTS: Arguments = {
  required: ['metadataPrefix'],
  optional: ['from', 'until', 'set', 'resumptionToken'],
};
const ARGUMENTS: Readonly<Record<Verb, Arguments>> = {
  Identify: { required: [], optional: [] },
  ListMetadataFormats: { required: [], optional: ['identifier'] },
  ListSets: { required: [], optional: ['resumptionToken'] },
  GetRecord: { required: ['identifier', 'metadataPrefix'], optional: [] },
  ListIdentifiers: OF_LISTS,
  ListRecords: OF_LISTS,
};
const VERBS = Object.keys(ARGUMENTS);

const TOKEN = 'resumptionToken';
const WORD = "[A-Za-z0-9_.!~*'()-]+";
/** The syntax of `metadataPrefix` and `setSpec` (OAI-PMH 2.0, 3.4 and 2.6). */
const METADATA_PREFIX = new RegExp(`^${WORD}$`);
const SET_SPEC = new RegExp(`^${WORD}(?::${WORD})*$`);
/** A URI (RFC 3986), in as far as XML Schema tells it from other text. */
const IDENTIFIER = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\dA-Fa-f]{2})+$/;
const MAX_SHOWN_CHARACTERS = 50;

/** Sets are collections, named after their nodes as in Islandora. */
const SET_OF_NODE = /^node:([1-9]\d{0,14})$/;
/** A node that no set has: a valid set that is unknown is an empty list. */
const UNKNOWN_SET = 0;

export function setSpecOf(node: number): string {
  return `node:${node}`;
}

/**
 * Checks the arguments of a request. Throws OaiError: `badVerb`, `badArgument`, and no other.
 */
export function parseRequest(parameters: OaiParameters): OaiRequest {
  const verb = parseVerb(parameters.filter(([name]) => name === 'verb').map(([, value]) => value));
  const given = parameters.filter(([name]) => name !== 'verb');
  const { required, optional } = ARGUMENTS[verb];
  const values = new Map<string, string>();
  for (const [name, value] of given) {
    if (!required.includes(name) && !optional.includes(name))
      throw badArgument(`${verb} has no argument ${shown(name)}.`);
    if (values.has(name)) throw badArgument(`The argument ${name} is repeated.`);
    if (value === '') throw badArgument(`The argument ${name} is empty.`);
    values.set(name, value);
  }
  const resumptionToken = values.get(TOKEN);
  if (resumptionToken !== undefined && values.size > 1)
    throw badArgument(`The argument ${TOKEN} excludes all others except verb.`);
  const missing = required.filter((name) => !values.has(name));
  if (resumptionToken === undefined && missing.length > 0)
    throw badArgument(`${verb} requires the argument ${missing.join(' and the argument ')}.`);
  return requestOf(verb, values, resumptionToken);
}

function parseVerb(verbs: readonly string[]): Verb {
  const [verb] = verbs;
  if (verb === undefined)
    throw new OaiError('badVerb', `The argument verb is missing. It must be one of ${VERBS.join(', ')}.`);
  if (verbs.length > 1) throw new OaiError('badVerb', 'The argument verb is repeated.');
  if (!Object.hasOwn(ARGUMENTS, verb))
    throw new OaiError('badVerb', `${shown(verb)} is no verb of OAI-PMH. It must be one of ${VERBS.join(', ')}.`);
  return verb as Verb;
}

function requestOf(verb: Verb, values: ReadonlyMap<string, string>, resumptionToken: string | undefined): OaiRequest {
  const identifier = values.get('identifier');
  if (identifier !== undefined && !IDENTIFIER.test(identifier))
    throw badArgument(
      `The identifier must be a URI such as oai:repository.example.org:node-1, found ${shown(identifier)}.`,
    );
  const metadataPrefix = values.get('metadataPrefix') ?? '';
  if (values.has('metadataPrefix') && !METADATA_PREFIX.test(metadataPrefix))
    throw badArgument(`The metadataPrefix must be a word such as oai_dc, found ${shown(metadataPrefix)}.`);
  switch (verb) {
    case 'Identify':
      return { verb };
    case 'ListMetadataFormats':
      return { verb, identifier };
    case 'ListSets':
      return { verb, resumptionToken };
    case 'GetRecord':
      return { verb, identifier: identifier ?? '', metadataPrefix };
    case 'ListIdentifiers':
    case 'ListRecords':
      if (resumptionToken !== undefined) return { verb, resumptionToken };
      return { verb, selection: { metadataPrefix, ...parsePeriod(values), set: parseSet(values.get('set')) } };
  }
}

function parsePeriod(values: ReadonlyMap<string, string>): Pick<Selection, 'from' | 'until'> {
  const from = parseDate('from', values);
  const until = parseDate('until', values);
  if (from !== undefined && until !== undefined) {
    if (from.granularity !== until.granularity)
      throw badArgument('The arguments from and until must have the same granularity: days or seconds.');
    if (from.first > until.last) throw badArgument('The argument from must not be later than until.');
  }
  return { from: from?.first, until: until?.last };
}

function parseDate(name: string, values: ReadonlyMap<string, string>): Datestamp | undefined {
  const text = values.get(name);
  if (text === undefined) return undefined;
  const date = parseDatestamp(text);
  if (date === undefined)
    throw badArgument(
      `The argument ${name} must be a day such as 2026-11-23 or a time such as 2026-11-23T17:05:00Z, found ${shown(text)}.`,
    );
  return date;
}

function parseSet(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!SET_SPEC.test(text))
    throw badArgument(`The set must be the setSpec of a set such as node:1, found ${shown(text)}.`);
  return Number(SET_OF_NODE.exec(text)?.[1] ?? UNKNOWN_SET);
}

function badArgument(message: string): OaiError {
  return new OaiError('badArgument', message);
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, MAX_SHOWN_CHARACTERS));
}
