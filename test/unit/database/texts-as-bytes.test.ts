import { describe, expect, it } from 'bun:test';
import { DamageLog } from '../../../src/database/damaged-text.ts';
import { LocalConnection } from '../../../src/database/local/local-connection.ts';
import { textsAsBytes } from '../../../src/database/texts-as-bytes.ts';

const damages = new DamageLog();
const connection = new LocalConnection(':memory:', { damages });
connection.script(`CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, size REAL, body BLOB);
  INSERT INTO item VALUES (1, 'é', 1.5, x'ff'), (2, NULL, 2, NULL), (3, '\uFEFFa', 9007199254740991, x'00');
  CREATE TABLE bad (id INTEGER PRIMARY KEY, name TEXT);
  INSERT INTO bad VALUES (7, cast(x'41ff42' as text))`);
const rowsOf = (sql: string) => connection.run(sql).rows as unknown as unknown[][];

describe('a query', () => {
  it('returns the values that the database has, of every type and in their order', () => {
    expect(rowsOf('SELECT id, name, size, body FROM item ORDER BY id DESC')).toEqual([
      [3, '\uFEFFa', 9007199254740991, Buffer.from([0])],
      [2, null, 2, null],
      [1, 'é', 1.5, Buffer.from([255])],
    ]);
    expect(
      rowsOf("SELECT count(*), max(name), 1.5, NULL, 'a' || id, (SELECT name FROM item WHERE id = 1) FROM item"),
    ).toEqual([[3, '\uFEFFa', 1.5, null, 'a3', 'é']]);
    expect(rowsOf("SELECT coalesce(body, 1), x'41' FROM item WHERE id = 1")).toEqual([
      [Buffer.from([255]), Buffer.from('A')],
    ]);
    expect(rowsOf("SELECT id FROM item UNION ALL SELECT 'text' ORDER BY 1")).toEqual([[1], [2], [3], ['text']]);
    expect(rowsOf("WITH a (x) AS (VALUES ('one'), ('two')) SELECT x, x FROM a -- end")).toEqual([
      ['one', 'one'],
      ['two', 'two'],
    ]);
  });

  it('evaluates an expression once for each row', () => {
    const [first] = rowsOf('SELECT random() AS r, CAST(random() AS TEXT) FROM item LIMIT 1');
    expect(typeof first?.[0]).toBe('number');
    expect(textsAsBytes('SELECT random()', [{ type: null }])).toContain('LIMIT -1');
  });

  it('replaces a byte that is not UTF-8, and reports its row once', () => {
    for (const sql of ['SELECT id, name FROM bad', 'SELECT name, id FROM bad'])
      expect(rowsOf(sql).flat()).toContain('A\uFFFDB');
    expect(rowsOf('SELECT group_concat(name) FROM bad')).toEqual([['A\uFFFDB']]);
    const reported: unknown[] = [];
    damages.listen((each) => reported.push(each));
    expect(reported).toEqual([
      { isComputed: false, table: 'bad', column: 'name', id: 7 },
      { isComputed: true, table: undefined, column: 'group_concat(name)', id: undefined },
    ]);
  });
});

describe('a change that returns values', () => {
  it('returns them, of every type', () => {
    const sql = `UPDATE item SET name = name || ', "x"' WHERE id = 1 RETURNING id, name AS "the, name", (size + 1), coalesce(body, ')')`;
    expect(rowsOf(sql)).toEqual([[1, 'é, "x"', 2.5, Buffer.from([255])]]);
    expect(rowsOf('UPDATE bad SET id = 8 RETURNING "id", "name"')).toEqual([[8, 'A\uFFFDB']]);
  });
});
