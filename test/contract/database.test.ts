import { join } from 'node:path';
import { openDatabase } from '../../src/database/remote/open-database.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { describeDatabase } from './database.ts';

const nowhere = { file: undefined, url: undefined, authToken: undefined, syncUrl: undefined };

describeDatabase('a local file', async () => {
  const file = join(await emptyFolder(), 'a.db');
  return { open: () => openDatabase({ ...nowhere, file }), isDelayed: false, end: async () => {} };
});
