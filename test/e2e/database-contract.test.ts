import { join } from 'node:path';
import { openDatabase } from '../../src/database/remote/open-database.ts';
import { describeDatabase } from '../contract/database.ts';
import { emptyFolder } from '../support/empty-folder.ts';
import { startSqld } from '../support/sqld.ts';

const nowhere = { file: undefined, url: undefined, authToken: undefined, syncUrl: undefined };

describeDatabase('a libSQL server', async () => {
  const { url, stop } = await startSqld();
  return { open: () => openDatabase({ ...nowhere, url }), isDelayed: false, end: stop };
});

describeDatabase('a replica of a libSQL server', async () => {
  const primary = await startSqld();
  const replica = await startSqld({ primary: primary.grpcUrl });
  return {
    open: () => openDatabase({ ...nowhere, url: replica.url }),
    isDelayed: true,
    async end() {
      await replica.stop();
      await primary.stop();
    },
  };
});

describeDatabase('a file that is a replica of a libSQL server', async () => {
  const { url, stop } = await startSqld();
  const folder = await emptyFolder();
  let opened = 0;
  return {
    open: () => openDatabase({ ...nowhere, syncUrl: url, file: join(folder, `${opened++}.db`) }),
    isDelayed: true,
    end: stop,
  };
});
