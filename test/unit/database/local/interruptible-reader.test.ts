import { afterEach, beforeEach, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import type { Database } from '../../../../src/database/database.ts';
import { isInterrupted } from '../../../../src/database/errors.ts';
import { openLocalDatabase } from '../../../../src/database/local/open-local-database.ts';
import { openForReading } from '../../../../src/database/remote/open-database.ts';
import { emptyFolder } from '../../../support/empty-folder.ts';
import { ENDLESS } from '../../../support/endless-statement.ts';
import { failure, rejection } from '../../../support/rejection.ts';

const countItems = { sql: 'SELECT count(*) FROM item', args: [] };

let writer: Database;
let reader: Database;

beforeEach(async () => {
  const file = join(await emptyFolder(), 'a.db');
  writer = openLocalDatabase(file);
  await writer.client.executeMultiple('CREATE TABLE item (id INTEGER PRIMARY KEY)');
  reader = await openForReading({ file, url: undefined, authToken: undefined, syncUrl: undefined, cacheKib: 1_024 });
});
afterEach(async () => {
  await reader.close();
  await writer.close();
});

const count = async () => (await reader.client.execute(countItems)).rows[0]?.[0];
const addItem = () => writer.write([{ sql: 'INSERT INTO item DEFAULT VALUES', args: [] }]);

describe('a connection for reading', () => {
  it('ends a running statement when it is interrupted, and then sees later writes', async () => {
    const outcome = rejection(reader.client.execute(ENDLESS));
    const again = setInterval(() => reader.interrupt(), 1);
    expect(isInterrupted(await outcome)).toBe(true);
    clearInterval(again);
    await addItem();
    expect(await count()).toBe(1);
  });

  it('reads several statements on one snapshot', async () => {
    const both = reader.client.batch([countItems, countItems], 'read');
    await addItem();
    const [first, second] = await both;
    expect(first?.rows[0]?.[0]).toBe(second?.rows[0]?.[0] as number);
    expect(await count()).toBe(1);
  });

  it('leaves no transaction open after an interruption within several statements', async () => {
    const outcome = rejection(reader.client.batch([countItems, ENDLESS], 'read'));
    const again = setInterval(() => reader.interrupt(), 1);
    expect(isInterrupted(await outcome)).toBe(true);
    clearInterval(again);
    await addItem();
    expect(await count()).toBe(1);
  });

  it('refuses reads after it was closed, which an interruption does not change', async () => {
    await reader.close();
    reader.interrupt();
    expect(await failure(count())).toMatchObject({ kind: 'unavailable' });
  });

  it('refuses writes', async () => {
    const { message } = (await rejection(reader.write([{ sql: 'DELETE FROM item', args: [] }]))) as Error;
    expect(message).toBe('this connection only reads');
  });
});
