import { join } from 'node:path';
import Libsql from 'libsql';
import { UnexpectedAnswer } from './kill-load.ts';
import { pause } from './pause.ts';
import type { Random } from './random.ts';
import { basic, type EntityJson } from './test-repository.ts';

/** Three quick commands: one at once, one after a while, and one whose output comes bit by bit. */
export const QUICK_COMMANDS = `
allowedMimeTypes: [text/plain]
maxConcurrent: 8
cmdByMimeType:
  default:
    cmdByDestination:
      text/plain: { cmd: tr, args: [a-z, A-Z] }
      text/csv: { cmd: sh, args: [-c, "sleep 0.$(od -An -N1 -tu1 /dev/urandom | tr -d ' '); tr A-Za-z N-ZA-Mn-za-m"] }
      text/html:
        cmd: sh
        args: [-c, 'all=$(cat); for each in 1 2 3 4 5 6; do printf %s "$all"; sleep 0.06; done']
`;

const USE = 'http://pcdm.org/use#';
const action = (term: string, mimeType: string, scheme: string) => `
    label: ${term}
    source_term: ${USE}OriginalFile
    derivative_term: ${USE}${term}
    source_mimetypes: [text/plain]
    mimetype: ${mimeType}
    destination_media_type: file
    scheme: ${scheme}
    path: "made/[node:nid]-[term:name].txt"`;

/** Rules by which every original has three derivatives, and nothing else is made. */
export const THREE_OF_EACH = `
actions:
  capitals: ${action('ServiceFile', 'text/plain', 'public')}
  turned: ${action('IntermediateFile', 'text/csv', 'private')}
  repeated: ${action('Transcript', 'text/html', 'fedora')}
contexts:
  audio_original_file: null
  image_original_file: null
  pages: null
  pdf_original_file: null
  technical_metadata_on_ingest: null
  video_original_file: null
  text_original_file:
    label: Texts
    conditions: [{ condition: media_has_term, uri: "${USE}OriginalFile" }]
    actions: [capitals, turned, repeated]
`;

const turned = (text: string) =>
  text.replaceAll(/[a-z]/gi, (letter) => {
    const [code, first] = [letter.charCodeAt(0), letter < 'a' ? 65 : 97];
    return String.fromCharCode(((code - first + 13) % 26) + first);
  });

/** The content of the media of each use for an original, as these commands create it. */
const MADE_OF: Record<string, (text: string) => string> = {
  OriginalFile: (text) => text,
  ServiceFile: (text) => text.toUpperCase(),
  IntermediateFile: turned,
  Transcript: (text) => text.repeat(6),
};

/** An original, and what it may hold: one text once an answer has come, else the one before and the one after. */
export interface Original {
  readonly node: number;
  media: number | undefined;
  may: (string | undefined)[];
}

export interface Surroundings {
  readonly modelTerm: number;
  readonly use: number;
  /** A header with a token: a password takes as long to check after each start as some rounds last. */
  readonly authorization: string;
}

const MAX_BYTES = 30_000;
const MAX_PAUSE_MS = 150;

/** Someone who uploads originals and replaces them, until the server is gone. */
export class Uploader {
  readonly originals: Original[] = [];
  answered = 0;

  constructor(
    readonly random: Random,
    readonly surroundings: Surroundings,
  ) {}

  /** Works until the server is gone. Throws UnexpectedAnswer. */
  async work(url: string): Promise<void> {
    for (;;) {
      await pause(this.random.below(MAX_PAUSE_MS));
      try {
        await this.#step(url);
        this.answered += 1;
      } catch (error) {
        if (error instanceof UnexpectedAnswer) throw error;
        return;
      }
    }
  }

  async #step(url: string): Promise<void> {
    const known = this.originals.filter(({ may, media }) => may.length === 1 && media !== undefined).slice(-8);
    if (known.length === 0 || this.random.below(10) < 6) return this.#upload(url);
    const original = this.random.pick(known);
    const { node, media } = original;
    const path = this.random.below(2) === 0 ? `/media/${media}/source` : this.#destination(node);
    await this.#put(url + path, original, 204);
  }

  async #upload(url: string): Promise<void> {
    const body = {
      type: [{ target_id: 'islandora_object' }],
      title: [{ value: 'An original' }],
      field_model: [{ target_id: this.surroundings.modelTerm }],
    };
    const init = { method: 'POST', body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } };
    const made = await this.#send(`${url}/node?_format=json`, init, 201);
    const original: Original = { node: idIn(made), media: undefined, may: [undefined] };
    this.originals.push(original);
    await this.#put(url + this.#destination(original.node), original, 201);
  }

  async #put(url: string, original: Original, expected: number): Promise<void> {
    const text = Buffer.from(this.random.bytes(1 + this.random.below(MAX_BYTES))).toString('base64');
    original.may.push(text);
    const location = `private://originals/${original.node}.txt`;
    const headers = { 'Content-Type': 'text/plain', 'Content-Location': location };
    const response = await this.#send(url, { method: 'PUT', body: text, headers }, expected);
    original.may = [text];
    original.media ??= idIn(response);
  }

  #destination(node: number): string {
    return `/node/${node}/media/file/${this.surroundings.use}`;
  }

  async #send(url: string, init: RequestInit, expected: number): Promise<Response> {
    const headers = { ...(init.headers as Record<string, string>), Authorization: this.surroundings.authorization };
    const response = await fetch(url, { ...init, headers, keepalive: false });
    if (response.status === expected) return response;
    throw new UnexpectedAnswer(`${init.method} ${url}: ${response.status} ${await response.text().catch(String)}`);
  }
}

/** The id at the end of the Location header. */
function idIn({ headers, url }: Response): number {
  const id = /\/(\d+)$/.exec(headers.get('location') ?? '')?.[1];
  if (id === undefined) throw new UnexpectedAnswer(`${url}: no Location`);
  return Number(id);
}

/** Returns the requirements of uploads: the administrator's token, which outlives the server, and terms. */
export async function findSurroundings(url: string): Promise<Surroundings> {
  const get = async (path: string) => (await fetch(url + path, { headers: { Authorization: basic('admin') } })).json();
  const term = async (uri: string): Promise<number> =>
    ((await get(`/term_from_uri?_format=json&uri=${encodeURIComponent(uri)}`)) as EntityJson[])[0]?.tid[0].value;
  const modelTerm = await term('http://purl.org/coar/resource_type/c_1843');
  const { token } = (await get('/jwt/token')) as { token: string };
  return { modelTerm, use: await term(`${USE}OriginalFile`), authorization: `Bearer ${token}` };
}

/** Counts the jobs of a data folder by state; jobs with a lease are `running`. */
export function countStates(dataFolder: string): Record<string, number> {
  const sql = `SELECT CASE WHEN state = 'queued' AND lease IS NOT NULL THEN 'running' ELSE state END AS state, count(*) AS count
    FROM derivative_job GROUP BY 1`;
  const rows = query(dataFolder, sql) as { state: string; count: number }[];
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

/** Uses that a node has twice, which none ever may. */
export function findTwice(dataFolder: string): unknown[] {
  return query(dataFolder, `SELECT node, use FROM (${MEDIA}) GROUP BY node, use HAVING count(*) > 1`);
}

/**
 * Says of a data folder in which no job is left what it holds that it should not, and what it lacks: each original
 * that was answered has one media of each use with what the command makes of it, one that was not answered the same or
 * nothing, and there are no other media. Notes of each original what it holds.
 */
export function examine(dataFolder: string, originals: readonly Original[]): { faults: string[]; media: number } {
  const rows = query(dataFolder, MEDIA) as { node: number; media: number; use: string; sha256: string }[];
  const all = Object.groupBy(rows, ({ node }) => node);
  const faults: string[] = [];
  let expected = 0;
  for (const original of originals) {
    const { node, may } = original;
    const found = Object.fromEntries((all[node] ?? []).map(({ use, sha256 }) => [use, sha256]));
    const holds = (text: string | undefined) => Bun.deepEquals(found, madeOf(text));
    const now = may.findIndex(holds);
    if (now < 0) faults.push(`node ${node}: ${JSON.stringify({ found, may: may.map(madeOf) })}`);
    original.media = all[node]?.find(({ use }) => use === 'OriginalFile')?.media;
    original.may = [may[now]];
    if (may[now] !== undefined) expected += Object.keys(MADE_OF).length;
  }
  const [{ count }] = query(dataFolder, 'SELECT count(*) AS count FROM media') as [{ count: number }];
  if (count !== expected) faults.push(`there are ${count} media, and not ${expected}`);
  return { faults, media: count };
}

function madeOf(text: string | undefined): Record<string, string> {
  if (text === undefined) return {};
  const sha256 = (made: string) => new Bun.CryptoHasher('sha256').update(made).digest('hex');
  return Object.fromEntries(Object.entries(MADE_OF).map(([use, make]) => [use, sha256(make(text))]));
}

const MEDIA = `SELECT n.target_id AS node, m.id AS media, replace(t.uri, '${USE}', '') AS use, f.sha256 AS sha256 FROM media m
  LEFT JOIN reference n ON n.source_type = 'media' AND n.source_id = m.id AND n.field = 'field_media_of'
  LEFT JOIN reference u ON u.source_type = 'media' AND u.source_id = m.id AND u.field = 'field_media_use'
  LEFT JOIN reference r ON r.source_type = 'media' AND r.source_id = m.id AND r.field = 'field_media_file'
  LEFT JOIN term_uri t ON t.term_id = u.target_id LEFT JOIN file f ON f.id = r.target_id ORDER BY m.id`;

function query(dataFolder: string, sql: string): unknown[] {
  const database = new Libsql(join(dataFolder, 'repository.db'), { readonly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}
