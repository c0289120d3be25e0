import { type Agent, type AgentName, agentName } from '../description/agent.ts';
import type { Description } from '../description/description.ts';
import { type CitationDate, citationDate } from './citation-date.ts';

const EDITOR = 'relators:edt';
const TRANSLATOR = 'relators:trl';
/** Punctuation of catalogue records (ISBD) at the end of a title. */
const RECORD_PUNCTUATION = /[\s/:;,=]+$/;

/** A work as its citations need it. */
export interface CitedWork {
  readonly id: string;
  readonly title: string;
  readonly authors: readonly AgentName[];
  readonly editors: readonly AgentName[];
  readonly translators: readonly AgentName[];
  readonly date: CitationDate | undefined;
  /** The site, as the archive of the work. */
  readonly archive: string;
  readonly publisher: string | undefined;
  readonly described: Description;
}

/** Returns the work that content describes. `id` is a key for lists of references: `node-17`. */
export function citedWork(described: Description, archive: string, id: string): CitedWork {
  const { title, creators, contributors, date, publishers } = described;
  const withRole = (role: string) => contributors.filter((each) => each.role === role);
  const names = (agents: readonly Agent[]) => agents.map(agentName);
  return {
    id,
    title: title.replace(RECORD_PUNCTUATION, '').trim() || title,
    authors: names(creators),
    editors: names(withRole(EDITOR)),
    translators: names(withRole(TRANSLATOR)),
    date: date === undefined ? undefined : citationDate(date),
    archive,
    publisher: publishers[0],
    described,
  };
}
