import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createKinds } from '../../../src/repository/content/kinds.ts';
import { findAllContent } from '../../../src/repository/content/read/find-content.ts';
import { type DatabaseProblem, findDamagedValues } from '../../../src/upkeep/integrity/find-damaged-values.ts';
import { createTestRepository, type TestRepository } from '../../support/test-repository.ts';
import { until } from '../../support/until.ts';

const DAMAGE = `cast(replace(cast(document as blob), cast('Harbour' as blob), x'486172626fff72') as text)`;

let repository: TestRepository;
let intact: number;
let damaged: number;
beforeAll(async () => {
  repository = await createTestRepository();
  const make = async (title: string) => (await repository.node({ title: [{ value: title }] })).nid[0].value as number;
  intact = await make('Letters');
  damaged = await make('Harbour');
  await run(`UPDATE node SET document = ${DAMAGE} WHERE id = ${damaged}`);
});
afterAll(() => repository.stop());

const database = () => repository.running.services.database;
const run = (sql: string) => database().client.batch([sql], 'write');
const documentOf = async () =>
  (await database().client.execute(`SELECT hex(document) FROM node WHERE id = ${damaged}`)).rows[0]?.[0];

describe('a node whose document has a byte that is not UTF-8', () => {
  it('is a 500 for every caller, and the log names its row and the way to repair it', async () => {
    for (const as of [undefined, 'admin'] as const)
      expect((await repository.get(`/node/${damaged}?_format=json`, as)).status).toBe(500);
    const line = await until(() => repository.log.find(({ msg }) => String(msg).includes('is not valid UTF-8')));
    expect(line?.level).toBe('error');
    // A server does not tell to which table a column belongs.
    const row = database().isDistant ? 'a row' : `node ${damaged}`;
    expect(line?.msg).toStartWith(`${row}: the text in its column document is not valid UTF-8. `);
    expect(line?.msg).toContain(database().isDistant ? 'repo storage verify --database' : 'repo restore');
  });

  it('hides no other node, and no list', async () => {
    for (const path of [`/node/${intact}?_format=json`, '/', '/search?q=letters', '/admin/content'])
      expect({ path, status: (await repository.get(path, 'admin', { Accept: '*/*' })).status }).toEqual({
        path,
        status: 200,
      });
  });

  it('is left out where several are read, and reported', async () => {
    const kinds = createKinds(repository.running.services.model);
    const left: number[] = [];
    const contents = await findAllContent(database(), kinds.node, [intact, damaged], (id) => left.push(id));
    expect(contents.map(({ head }) => head.id)).toEqual([intact]);
    expect(left).toEqual([damaged]);
  });

  it('is not told to harvesters as deleted', async () => {
    const response = await repository.get('/oai/request?verb=ListRecords&metadataPrefix=oai_dc');
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain(`node-${intact}<`);
    expect(text).not.toContain(`node-${damaged}<`);
  });

  it('keeps its bytes when a change is refused', async () => {
    const before = await documentOf();
    const body = { type: [{ target_id: 'islandora_object' }], title: [{ value: 'New' }] };
    expect((await repository.patch(`/node/${damaged}?_format=json`, body, 'admin')).status).toBe(500);
    expect(await documentOf()).toBe(before as never);
  });
});

describe('the check of a database', () => {
  it('names a damaged text in any column of any table, and a text in a column of numbers', async () => {
    await repository.build.term('subject', 'Ships');
    const { client } = database();
    const columns =
      await client.execute(`SELECT t.name, c.name, c.type FROM sqlite_master t, pragma_table_info(t.name) c
      WHERE t.type = 'table' AND c.pk = 0 AND c.type IN ('TEXT', 'INTEGER')
        AND c.name <> 'credentials_changed'`);
    const tables = Map.groupBy(columns.rows, (row) => String(row[0]));
    const checked: string[] = [];
    for (const [table, listed] of tables) {
      // Each request reads these; an index of runs reads their JSON. A trigger sets the column that is left out.
      const isSkipped = /^(sqlite|libsql|search_text|generation$|search_index$|run$)/.test(table);
      if (isSkipped || (await client.execute(`SELECT 1 FROM "${table}" LIMIT 1`)).rows.length === 0) continue;
      const damages = listed.map(({ 1: name, 2: type }) => ({
        ...{ name: String(name), value: type === 'TEXT' ? `cast(x'41ff' as text)` : `'words'` },
        expected: `its column ${name} ${type === 'TEXT' ? 'is not valid UTF-8' : 'has a text instead of a number'}.`,
      }));
      const problems = await whileStored(table, damages);
      const details = problems.filter(({ subject }) => subject.startsWith(`${table} `)).map(({ detail }) => detail);
      for (const { expected } of damages) expect(details).toContainEqual(expect.stringContaining(expected));
      checked.push(table);
    }
    expect(checked.length).toBeGreaterThan(10);
  });
});

/** Returns the problems while one row of a table has other values. */
async function whileStored(
  table: string,
  damages: readonly { readonly name: string; readonly value: string }[],
): Promise<DatabaseProblem[]> {
  const { client } = database();
  const quoted = damages.map(({ name }) => `quote("${name}")`).join(', ');
  const kept = (await client.execute(`SELECT ${quoted} FROM "${table}" LIMIT 1`)).rows[0];
  const definition = await client.execute(`SELECT sql FROM sqlite_master WHERE name = '${table}'`);
  const hasRowId = !/WITHOUT ROWID/i.test(String(definition.rows[0]?.[0]));
  // The rows of the others have no column that is not part of their key.
  const isFirst = hasRowId ? `rowid = (SELECT rowid FROM "${table}" LIMIT 1)` : 'true';
  const set = (values: readonly string[]) =>
    run(`UPDATE "${table}" SET ${damages.map(({ name }, index) => `"${name}" = ${values[index]}`)} WHERE ${isFirst}`);
  await set(damages.map(({ value }) => value));
  database().refresh();
  const problems: DatabaseProblem[] = [];
  for await (const problem of findDamagedValues(database(), new AbortController().signal)) problems.push(problem);
  await set(damages.map((_, index) => String(kept?.[index])));
  return problems;
}
