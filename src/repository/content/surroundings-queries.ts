import { GENERATION_COLUMN } from '../../database/generation-memory.ts';
import type { MediaType } from '../../model/content-model.ts';
import { lostNodeAfterWrite, mediaNodesOf } from './media-nodes.ts';

/**
 * The queries behind `find-surroundings.ts`. Each answers one row with JSON lists: a row for every link would cost
 * several times as much on its way out of the driver as in the database.
 */

/** A query for one id, and one for a JSON list of several. */
export interface ByIds {
  readonly one: string;
  readonly among: string;
}

/** Nodes by their ids, as a column: id, bundle, owner, status and label of each. */
export const NODES: ByIds = byIds((condition) => rowsOf('node e', '', condition));

/** Media by their ids, as a column: the same, their `linked` column and their nodes. */
export function mediaById(mediaTypes: ReadonlyMap<string, MediaType>): ByIds {
  return byIds((condition) => rowsOf('media m', `, ${linkedNow(mediaTypes)}, ${mediaNodesOf('m')}`, condition));
}

function byIds(query: (condition: string) => string): ByIds {
  return { one: query('id = ?'), among: query('id IN (SELECT value FROM json_each(?))') };
}

function rowsOf(table: string, more: string, condition: string): string {
  return `(SELECT json_group_array(json_array(id, bundle, owner_id, status, label${more})) FROM ${table} WHERE ${condition})`;
}

/** One file by its id, as a column: id, owner, address and type. */
export const FILE = '(SELECT json_array(id, owner_id, uri, filemime) FROM file WHERE id = ?)';

/** Between the parts of `linked`; neither ids nor addresses nor types hold one. */
export const LINKED_SEPARATOR = '\n';

/** What a node tells of a media beside its own columns (`media.linked`), looked up: an expression on the media `m`. */
function linkedOf(mediaTypes: ReadonlyMap<string, MediaType>): string {
  const cases = [...mediaTypes.values()].map(
    ({ name, sourceField }) => `WHEN ${text(name)} THEN ${text(sourceField.name)}`,
  );
  const sourceField = cases.length === 0 ? 'NULL' : `CASE m.bundle ${cases.join(' ')} END`;
  return `coalesce((SELECT group_concat(u.target_id, ' ') FROM reference u WHERE u.source_type = 'media'
      AND u.source_id = m.id AND u.field = 'field_media_use' AND u.target_type = 'taxonomy_term'), '')
    || coalesce((SELECT char(10) || f.id || char(10) || f.owner_id || char(10) || f.uri || char(10) || f.filemime
      FROM reference s JOIN file f ON s.target_type = 'file' AND f.id = s.target_id WHERE s.source_type = 'media'
      AND s.source_id = m.id AND s.delta = 0 AND s.field = ${sourceField}), '')`;
}

/** The same as it is kept, or looked up where it is not. */
function linkedNow(mediaTypes: ReadonlyMap<string, MediaType>): string {
  return `coalesce(CASE m.is_dangling WHEN 0 THEN m.linked END, ${linkedOf(mediaTypes)})`;
}

/** Returns the statement that updates the columns derived from the references of a media; `?` is its UUID. */
export function keepLinked(mediaTypes: ReadonlyMap<string, MediaType>): string {
  return `UPDATE media AS m SET linked = ${linkedOf(mediaTypes)}, has_lost_node = ${lostNodeAfterWrite('m')}
    WHERE uuid = ?`;
}

/**
 * The media of a node with their use terms and source files, as a column, for a condition on the media `m`; `?` are
 * the node's id, what the condition asks for, the most that are wanted, and how many to pass over. The order of the join is said, for without
 * statistics the database would choose a slow one.
 */
export function mediaOf(mediaTypes: ReadonlyMap<string, MediaType>): (condition: string) => string {
  const linked = linkedNow(mediaTypes);
  return (condition) => `(SELECT json_group_array(json_array(id, bundle, owner_id, status, label, linked))
    FROM (SELECT m.id, m.bundle, m.owner_id, m.status, m.label, ${linked} AS linked
      FROM reference r CROSS JOIN media m ON m.id = r.source_id
      WHERE r.target_type = 'node' AND r.target_id = ? AND r.source_type = 'media' AND r.field = 'field_media_of'
        AND ${condition}
      ORDER BY r.weight, r.source_id LIMIT ? OFFSET ?))`;
}

const TERM_COLUMNS = `t.id, t.bundle, t.owner_id, t.status, t.label,
    (SELECT uri FROM term_uri WHERE term_id = t.id AND field = 'field_external_uri' AND delta = 0),
    (SELECT uri FROM term_uri WHERE term_id = t.id AND field = 'field_authority_link' AND delta = 0),
    json_extract(t.document, '$.langcode[0].value')`;

/** Terms by a JSON list of ids. */
export const TERMS = `SELECT ${TERM_COLUMNS} FROM taxonomy_term t WHERE t.id IN (SELECT value FROM json_each(?))`;

/**
 * A row with two more columns: the generation, and the terms of a JSON list of ids, which is the last `?`, together with
 * those that media are used as in the columns of these indexes. Which ones those are only the row itself tells.
 */
export function withTerms(sql: string, width: number, mediaColumns: readonly number[]): string {
  const names = Array.from({ length: width }, (_, index) => `c${index}`).join(', ');
  const ids = ['SELECT value FROM json_each(?)', ...mediaColumns.map((index) => usesIn(`c${index}`))].join(' UNION ');
  const terms = `${GENERATION_COLUMN},
    (SELECT json_group_array(json_array(${TERM_COLUMNS})) FROM taxonomy_term t WHERE t.id IN (${ids}))`;
  if (sql === '') return `SELECT ${terms}`;
  return `WITH around(${names}) AS MATERIALIZED (${sql}) SELECT ${names}, ${terms} FROM around`;
}

/** The ids of uses in a JSON list of media: what `linked` begins with. */
function usesIn(column: string): string {
  return `SELECT u.value FROM (SELECT json_extract(value, '$[5]') || char(10) AS linked FROM json_each(${column})) m,
    json_each('[' || replace(substr(m.linked, 1, instr(m.linked, char(10)) - 1), ' ', ',') || ']') u`;
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}
