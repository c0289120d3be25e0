import { describe, expect, it } from 'bun:test';
import { rm } from 'node:fs/promises';
import { createLog } from '../../../src/base/log.ts';
import { DEFAULT_SERVER_CONFIG } from '../../../src/config/server-config.ts';
import { openLocalDatabase } from '../../../src/database/local/open-local-database.ts';
import { openRepository } from '../../../src/server/open-repository.ts';
import { audit } from '../../support/audit.ts';
import { emptyFolder } from '../../support/empty-folder.ts';
import { startServer } from '../../support/server-process.ts';
import { itIsOneRepository } from '../../support/two-servers.ts';

const log = createLog({ level: 'fatal', format: 'json', destination: { write: () => undefined } });

describe('two processes on one data folder', () => {
  let folder: string;
  const one = itIsOneRepository(async () => {
    folder = await emptyFolder();
    const start = () => startServer({ from: 'source', data: folder, expectedComplaints: ['database-locked'] });
    const [one, other] = await Promise.all([start(), start()]);
    return {
      servers: [one, other],
      beside: await openRepository({ ...DEFAULT_SERVER_CONFIG, dataFolder: folder }, log),
      audit: () => audit(folder, true),
      remove: () => rm(folder, { recursive: true }),
    };
  });

  it('wait for each other and for other locks on the database', async () => {
    const holder = openLocalDatabase(`${folder}/repository.db`);
    // The servers may still be removing the objects that were replaced before.
    await holder.client.executeMultiple('PRAGMA busy_timeout = 5000');
    await holder.client.executeMultiple('BEGIN IMMEDIATE');
    let answered = 0;
    const writing = Promise.all(
      [0, 1, 2, 3].map(async (index) => {
        const response = await one.createNode(index);
        answered += 1;
        return response;
      }),
    );
    for (let read = 0; read < 50; read++)
      for (const server of one.two.servers)
        expect((await server.fetch('/taxonomy/term/1?_format=json')).status).toBe(200);
    expect(answered).toBe(0);
    await holder.client.executeMultiple('ROLLBACK');
    expect((await writing).map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    await holder.client.executeMultiple('BEGIN IMMEDIATE');
    const refused = await one.createNode(0);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.json()).toEqual({ message: 'The database is in use by another program. Try again later.' });
    await holder.client.executeMultiple('ROLLBACK');
    await holder.close();
    expect((await one.createNode(0)).status).toBe(201);
  }, 15_000);
});
