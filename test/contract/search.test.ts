import { join } from 'node:path';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/remote/open-database.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { startSqld } from '../support/sqld.ts';
import { describeSearch } from './search.ts';

const nowhere = { file: undefined, url: undefined, authToken: undefined, syncUrl: undefined };

/** Returns a function that opens databases, and one that closes them. */
function opened(open: () => Promise<Database>) {
  const all: Database[] = [];
  return {
    async open() {
      const database = await open();
      all.push(database);
      return database;
    },
    close: () => Promise.all(all.map((database) => database.close())),
  };
}

describeSearch('a local file', async () => {
  const file = join(await emptyFolder(), 'a.db');
  const { open, close } = opened(() => openDatabase({ ...nowhere, file }));
  return { open, end: async () => void (await close()) };
});

describeSearch('a libSQL server', async () => {
  const sqld = await startSqld();
  const { open, close } = opened(() => openDatabase({ ...nowhere, url: sqld.url }));
  return {
    open,
    async end() {
      await close();
      await sqld.stop();
    },
  };
});
