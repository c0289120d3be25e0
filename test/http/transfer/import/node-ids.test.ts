import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import { auditServices } from '../../../support/audit.ts';
import { createImportSite, type ImportSite } from '../../../support/import-site.ts';
import { MODEL } from '../../../support/site-builder.ts';
import { createTestRepository, type TestRepository } from '../../../support/test-repository.ts';

const ROWS = 700;

let repository: TestRepository;
let site: ImportSite;

beforeAll(async () => {
  repository = await createTestRepository();
  site = await createImportSite(repository);
  for (let at = 0; at < ROWS; at += 50) await site.file(`${at}.txt`, `text ${at}`);
});
afterAll(async () => {
  expect(await auditServices(repository.running.services, true)).toEqual([]);
  await site.remove();
  await repository.stop();
});
afterEach(() => sql('DROP TRIGGER IF EXISTS no_row'));

const sql = (text: string) => repository.running.services.database.write([{ sql: text, args: [] }]);
/** The ids of the nodes, in the order of the rows. */
const idsOf = async (file: string) => (await site.result(file)).map((line) => Number(line.split(',')[3]));
const ascending = (ids: readonly number[]) => [...ids].sort((a, b) => a - b);

const HEADER = 'id,parent_id,title,field_model,field_subject,url_alias,file\n';

/** Rows with parents far above and below, terms that some of them are the first to name, aliases and files. */
function variedRows(name: string): string[] {
  return Array.from({ length: ROWS }, (_, at) => {
    const parent = at % 7 === 0 ? `r${Math.min(at + 300, ROWS - 1)}` : at % 5 === 0 ? `r${at - 1}` : '';
    const subject = at % 3 === 0 ? `${name} subject ${at % 40}` : '';
    const alias = at % 11 === 0 ? `/${name}/${at}` : '';
    const file = at % 50 === 0 ? `${at}.txt` : '';
    return `r${at},${at === ROWS - 1 ? '' : parent},${name} ${at},${MODEL.image},${subject},${alias},${file}\n`;
  });
}
const plainRows = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => `r${at},,${name} ${at},${MODEL.image},,,\n`);

describe('the nodes of an import', () => {
  it('get ids in row order, regardless of parents and concurrent nodes', async () => {
    const file = await site.table('varied.csv', `${HEADER}${variedRows('varied').join('')}`);
    const posted: Promise<number>[] = [];
    const post = async () => (await repository.node()).nid[0].value as number;
    await site.import(file, { onProgress: ({ rows }) => rows % 100 === 0 && posted.push(post()) });
    const ids = await idsOf(file);
    expect(ids).toHaveLength(ROWS);
    expect(ids).toEqual(ascending(ids));
    const others = await Promise.all(posted);
    expect(others.length).toBeGreaterThan(3);
    expect(new Set([...ids, ...others]).size).toBe(ROWS + others.length);
  });

  it('keep that order after an interruption with nodes in between', async () => {
    const file = await site.table('broken.csv', `${HEADER}${variedRows('broken').join('')}`);
    const stopped = await site.import(file, { onProgress: ({ rows }, stop) => rows >= 100 && stop() });
    expect(stopped).toMatchObject({ isInterrupted: true });
    await repository.node();
    expect(await site.import(file)).toMatchObject({ rows: ROWS });
    const ids = await idsOf(file);
    expect(ids).toEqual(ascending(ids));
  });

  it('keep that order if a row failed and is retried or corrected', async () => {
    for (const [name, title] of [
      ['fails', 'fails 20'],
      ['wrong', 'corrected'],
    ]) {
      const rows = plainRows(`${name}`, 200);
      const file = await site.table(`${name}.csv`, `${HEADER}${rows.join('')}`);
      await sql(`CREATE TRIGGER no_row BEFORE INSERT ON node WHEN new.label = '${name} 20' BEGIN
        SELECT raise(ABORT, 'not now'); END`);
      expect(await site.import(file).catch(String)).toContain('not now');
      const run = "(SELECT max(id) FROM run WHERE kind = 'import')";
      expect(await site.count(`SELECT count(*) FROM import_item WHERE run_id = ${run} AND row_id = 'r30'`)).toBe(1);
      await sql('DROP TRIGGER no_row');
      await repository.node();
      rows[20] = `r20,,${title},${MODEL.image},,,\n`;
      await site.table(`${name}.csv`, `${HEADER}${rows.join('')}`);
      expect(await site.import(file)).toMatchObject({ rows: 200, failure: undefined });
      const ids = await idsOf(file);
      expect(ids).toEqual(ascending(ids));
    }
  });

  it('get higher ids than loaded ones if rows were moved or removed', async () => {
    const changes = [
      (rows: string[]) => [...plainRows('new', 1).map((row) => row.replace('r0', 'first')), ...rows],
      (rows: string[]) => [`first,,new,${MODEL.image},,,\n`, ...rows.slice(1)],
      (rows: string[]) => ['#,,,,,,\n', ...rows],
    ];
    for (const [at, change] of changes.entries()) {
      const name = `moved-${at}.csv`;
      const rows = plainRows(name, 500);
      const file = await site.table(name, `${HEADER}${rows.join('')}`);
      const stopped = await site.import(file, { onProgress: (counts, stop) => counts.rows >= 10 && stop() });
      const loaded = await site.count(
        "SELECT count(*) FROM import_item WHERE run_id = (SELECT max(id) FROM run WHERE kind = 'import')",
      );
      expect(stopped?.isInterrupted).toBe(true);
      expect(loaded).toBeLessThan(500);
      const highest = await site.count('SELECT max(id) FROM node');
      await site.table(name, `${HEADER}${change(rows).join('')}`);
      expect(await site.import(file)).toMatchObject({ failure: undefined, isInterrupted: false });
      const ids = await idsOf(file);
      const added = ids.filter((id) => id > highest);
      expect(added).toEqual(ascending(added));
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it('keep that order when continuing an import without reserved ids', async () => {
    const file = await site.table('older.csv', `${HEADER}${plainRows('older', 500).join('')}`);
    await site.import(file, { onProgress: ({ rows }, stop) => rows >= 10 && stop() });
    await sql(
      "UPDATE run SET about = json_set(about, '$.firstNodeId', NULL) WHERE kind = 'import' AND ended_at IS NULL",
    );
    expect(await site.import(file)).toMatchObject({ rows: 500, failure: undefined });
    const ids = await idsOf(file);
    expect(ids).toEqual(ascending(ids));
  });

  it('have the references, revisions and weights of their rows', async () => {
    const rows = Array.from(
      { length: 130 },
      (_, at) => `w${at},${at === 129 ? '' : 'w129'},weight ${at},${MODEL.image},Weighed ${at % 3},${at + 1}\n`,
    );
    const file = await site.table(
      'weights.csv',
      `id,parent_id,title,field_model,field_subject,field_weight\n${rows.join('')}`,
    );
    await site.import(file);
    const ids = await idsOf(file);
    const { rows: found } = await repository.running.services.database.client.execute({
      sql: `SELECT n.label, t.label, r.weight, v.entity_id, n.id, n.document ->> '$.nid[0].value'
        FROM node n JOIN reference r ON r.source_type = 'node' AND r.source_id = n.id AND r.field = 'field_subject'
        JOIN taxonomy_term t ON t.id = r.target_id JOIN node_revision v ON v.id = n.revision_id
        WHERE n.id IN (SELECT value FROM json_each(?)) ORDER BY n.id`,
      args: [JSON.stringify(ids)],
    });
    expect(found.map((row) => Array.from(row))).toEqual(
      ids.map((id, at) => [`weight ${at}`, `Weighed ${at % 3}`, at + 1, id, id, id]),
    );
  });
});
