import { join } from 'node:path';
import Libsql from 'libsql';
import type { JsonObject } from '../../src/base/json.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import type { EntityJson } from '../support/test-repository.ts';

/** The number of nodes created by the API, each with other targets; all others are their copies. */
const TEMPLATES = 50;
const ROWS_PER_TRANSACTION = 50_000;
/** The placeholders for the values that differ between nodes. */
const NUMBER = '@00000000';
const NUMBER_DIGITS = NUMBER.length;

export interface FillResult {
  /** Ids of nodes that the API has made, and that the others are copies of. */
  readonly templates: readonly number[];
  readonly firstId: number;
  readonly lastId: number;
  readonly seconds: number;
}

/**
 * Puts nodes into the repository of a data folder without a server, or creates it: 20 filled fields and 10
 * references each, in the very rows that the API would write. The same on every run.
 */
export async function fillRepository(dataFolder: string, count: number): Promise<FillResult> {
  const start = performance.now();
  const server = await startServer({ from: 'source', data: dataFolder });
  const templates = await makeTemplates(server);
  await server.stop();
  const ids = copyNodes(join(dataFolder, 'repository.db'), templates, count);
  return { templates, ...ids, seconds: (performance.now() - start) / 1000 };
}

/** Returns the body of a node of the benchmark: 20 filled fields, 10 references. */
export function detailedNode(targets: Targets, number: string = NUMBER): JsonObject {
  const text = (value: string) => [{ value }];
  const html = (value: string) => [{ value, format: 'basic_html' }];
  const to = (...ids: number[]) => ids.map((target_id) => ({ target_id }));
  return {
    type: [{ target_id: 'islandora_object' }],
    title: text(`Letter ${number} to the society, with two enclosures`),
    field_abstract: html(
      '<p>On the state of the collection, with a list of what was lent and of what has come back.</p>',
    ),
    field_alt_title: text(`Letter book, leaf ${number}`),
    field_description: text('Manuscript letter on laid paper, folded twice, with traces of a red seal. '.repeat(3)),
    field_edtf_date_created: text('1887-03-1X'),
    field_edtf_date_issued: text('1888'),
    field_extent: [{ value: '2 leaves' }, { value: '21 x 13 cm' }],
    field_full_title: text(`Letter ${number} to the society of natural history, with two enclosures and an envelope`),
    field_genre: to(targets.genre),
    field_geographic_subject: to(targets.place),
    field_identifier: text(`repo:${number}`),
    field_language: to(targets.language),
    field_linked_agent: [
      { target_id: targets.person, rel_type: 'relators:aut' },
      { target_id: targets.otherPerson, rel_type: 'relators:rcp' },
    ],
    field_member_of: to(targets.collection),
    field_model: to(targets.model),
    field_note: html('<p>The second leaf is torn at the edge.</p>'),
    field_place_published: text('Basel'),
    field_publisher: text('Printed for the society'),
    field_resource_type: to(targets.resourceType),
    field_rights: html('<p>No known copyright.</p>'),
    field_subject: to(targets.subject, targets.otherSubject),
  };
}

export interface Targets {
  readonly model: number;
  readonly resourceType: number;
  readonly language: number;
  readonly genre: number;
  readonly place: number;
  readonly person: number;
  readonly otherPerson: number;
  readonly subject: number;
  readonly otherSubject: number;
  readonly collection: number;
}

async function makeTemplates(server: ServerProcess): Promise<number[]> {
  const first = async (vocabulary: string) => {
    const response = await server.fetch(`/vocabulary/${vocabulary}?_format=json`);
    return ((await response.json()) as EntityJson[])[0]?.tid[0].value as number;
  };
  const model = await first('islandora_models');
  const resourceType = await first('resource_types');
  const language = await first('language');
  const { term, item } = server.build;
  const templates: number[] = [];
  for (let index = 0; index < TEMPLATES; index++) {
    const targets: Targets = {
      model,
      resourceType,
      language,
      genre: await term('genre', `Genre ${index}`),
      place: await term('geo_location', `Place ${index}`),
      person: await term('person', `Writer ${index}`),
      otherPerson: await term('person', `Reader ${index}`),
      subject: await term('subject', `Subject ${index}`),
      otherSubject: await term('subject', `Other subject ${index}`),
      collection: (await item({ title: [`Collection ${index}`], field_model: [model] })).nid[0].value,
    };
    templates.push((await item(detailedNode(targets))).nid[0].value);
  }
  return templates;
}

type Row = Record<string, string | number | null>;

/** Copies rows, each with an id, a revision, a UUID and a number of its own. */
function copyNodes(file: string, templates: readonly number[], count: number): { firstId: number; lastId: number } {
  const database = new Libsql(file);
  // If the machine fails meanwhile, it is created again.
  for (const setting of [
    'journal_mode = MEMORY',
    'synchronous = OFF',
    'cache_size = -1000000',
    'locking_mode = EXCLUSIVE',
  ])
    database.exec(`PRAGMA ${setting}`);
  const next = (table: string) => {
    const row = database.prepare('SELECT seq FROM sqlite_sequence WHERE name = ?').get(table) as { seq: number };
    return row.seq + 1;
  };
  const [firstId, firstRevision] = [next('node'), next('node_revision')];
  const variants = templates.map((id) => readVariant(database, id));
  const { columns } = variants[0] as Variant;
  const marks = (names: readonly string[]) => names.map(() => '?').join(', ');
  const insertNode = database.prepare(`INSERT INTO node (${columns.join(', ')}) VALUES (${marks(columns)})`);
  const insertRevision = database.prepare(
    `INSERT INTO node_revision (id, entity_id, created, user_id, log, snapshot)
      SELECT ?, ?, created, user_id, log, NULL FROM node_revision WHERE id = ?`,
  );
  database.exec(
    "CREATE TEMP TABLE template AS SELECT * FROM reference WHERE source_type = 'node' AND source_id IN (SELECT value FROM json_each('" +
      `${JSON.stringify(templates)}'))`,
  );
  database.exec('CREATE INDEX temp.template_source ON template (source_id)');
  const insertReferences = database.prepare(
    `INSERT INTO reference (source_type, source_id, field, delta, target_type, target_id, weight)
      SELECT source_type, ?, field, delta, target_type, target_id, weight FROM template WHERE source_id = ?`,
  );
  for (let done = 0; done < count; ) {
    database.exec('BEGIN');
    const end = Math.min(count, done + ROWS_PER_TRANSACTION);
    for (; done < end; done++) {
      const { templateId, revisionId, valuesOf } = variants[done % variants.length] as Variant;
      insertNode.run(valuesOf(firstId + done, firstRevision + done));
      insertRevision.run([firstRevision + done, firstId + done, revisionId]);
      insertReferences.run([firstId + done, templateId]);
    }
    database.exec('COMMIT');
  }
  database.exec('PRAGMA locking_mode = NORMAL');
  database.exec('PRAGMA journal_mode = WAL');
  database.close();
  return { firstId, lastId: firstId + count - 1 };
}

interface Variant {
  readonly templateId: number;
  readonly revisionId: number;
  readonly columns: readonly string[];
  valuesOf(id: number, revisionId: number): (string | number | null)[];
}

function readVariant(database: Libsql.Database, templateId: number): Variant {
  const { _metadata, ...row } = database.prepare('SELECT * FROM node WHERE id = ?').get(templateId) as Row;
  const columns = Object.keys(row);
  const parts = columns.map((column) => {
    const stored = row[column] as string | number | null;
    const value = column === 'document' ? String(stored).slice(String(stored).indexOf('"langcode"')) : stored;
    return typeof value === 'string' && value.includes(NUMBER) ? value.split(NUMBER) : value;
  });
  return {
    templateId,
    revisionId: Number(row.revision_id),
    columns,
    valuesOf(id, revisionId) {
      const number = String(id).padStart(NUMBER_DIGITS, '0');
      return parts.map((part, index) => {
        const column = columns[index];
        if (column === 'id') return id;
        if (column === 'revision_id') return revisionId;
        const uuid = `01900000-0000-7000-8000-${id.toString(16).padStart(12, '0')}`;
        if (column === 'uuid') return uuid;
        if (column === 'document') {
          const rest = Array.isArray(part) ? part.join(number) : part;
          return `{"nid":[{"value":${id}}],"uuid":[{"value":"${uuid}"}],"vid":[{"value":${revisionId}}],${rest}`;
        }
        return Array.isArray(part) ? part.join(number) : part;
      });
    },
  };
}

if (import.meta.main) {
  const [folder, count] = Bun.argv.slice(2);
  if (folder === undefined || !(Number(count) > 0))
    throw new Error('say where and how many: bun test/bench/fill.ts <folder> <count>');
  console.log(JSON.stringify(await fillRepository(folder, Number(count))));
}
