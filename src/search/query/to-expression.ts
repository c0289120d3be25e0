import { expressionOf } from '../../base/words.ts';
import type { ParsedQuery, Term } from './parse-query.ts';

/** The expressions of FTS5 for a query. */
interface Expression {
  /** Matches the nodes of the query; undefined if it names no words that a node must contain. */
  readonly match: string | undefined;
  /** Matches the nodes to leave out, where there is no `match` that does. */
  readonly without: string | undefined;
}

/** The column that callers without access to media do not search. */
const MEDIA_COLUMN = 'fulltext';

/** Returns the expressions of a query. Every word is quoted, so that nothing in it is syntax. */
export function toExpression({ groups, without }: ParsedQuery, searchesMedia: boolean): Expression {
  const limited = (expression: string) => (searchesMedia ? expression : `- ${MEDIA_COLUMN} : (${expression})`);
  const left = without.length === 0 ? undefined : without.map(ofTerm).join(' OR ');
  if (groups.length === 0) return { match: undefined, without: left && limited(left) };
  const all = groups.map((group) => `(${group.map(ofTerm).join(' OR ')})`).join(' AND ');
  return { match: limited(left === undefined ? all : `(${all}) NOT (${left})`), without: undefined };
}

function ofTerm({ phrases, field, isPrefix }: Term): string {
  const column = field === undefined ? '' : `${field} : `;
  return `${column}${expressionOf(phrases, isPrefix)}`;
}
