import { createClient } from '@libsql/client/http';
import { createRemoteClient } from '../../src/database/remote/remote-client.ts';
import { RemoteConnection } from '../../src/database/remote/remote-connection.ts';
import { startSqld } from '../support/sqld.ts';

/**
 * Compares our client of a libSQL server with `@libsql/client`: processor time, requests, and stale reads on a replica
 * (decision 22).
 */

const READ = 'SELECT id, document FROM item WHERE id = ?';
const WRITE = 'UPDATE item SET document = ? WHERE id = ?';
const ROWS = 500;
const CALLS = 2_000;
const ROUNDS = 5;
const DOCUMENT = 'x'.repeat(2_000);

const primary = await startSqld();
const theirs = createClient({ url: primary.url });
await theirs.batch(
  [
    'CREATE TABLE generation (id INTEGER PRIMARY KEY, value INTEGER NOT NULL)',
    'CREATE TABLE item (id INTEGER PRIMARY KEY, document TEXT NOT NULL)',
    ...Array.from({ length: ROWS }, (_, id) => ({ sql: 'INSERT INTO item VALUES (?, ?)', args: [id, DOCUMENT] })),
  ],
  'write',
);
let requests = 0;
const onRequest = () => {
  requests += 1;
};
const ours = createRemoteClient(new RemoteConnection({ base: primary.url, authToken: undefined }, { onRequest }));
const four = (first: number) => [0, 1, 2, 3].map((more) => ({ sql: READ, args: [(first + more) % ROWS] }));
const write = (id: number) => [{ sql: WRITE, args: [DOCUMENT, id] }];

for (const parallel of [1, 16]) {
  await measure('read, @libsql/client', parallel, (id) => theirs.execute({ sql: READ, args: [id] }));
  await measure('read, ours', parallel, (id) => ours.first(READ, [id]));
  await measure('4 reads at once, @libsql/client', parallel, (id) => theirs.batch(four(id), 'read'));
  await measure('4 reads at once, ours', parallel, (id) => ours.batch(four(id), 'read'));
  await measure('write, @libsql/client', parallel, (id) => theirs.batch(write(id), 'write'));
  await measure('write, ours', parallel, (id) => ours.batch(write(id), 'write'));
}

const replica = await startSqld({ primary: primary.grpcUrl });
for (const [name, client] of [
  ['@libsql/client', createClient({ url: replica.url })],
  ['ours', createRemoteClient(new RemoteConnection({ base: replica.url, authToken: undefined }))],
] as const) {
  let stale = 0;
  for (let turn = 0; turn < 300; turn++) {
    const text = `${name} ${turn}`;
    await client.batch([{ sql: WRITE, args: [text, 1] }], 'write');
    const { rows } = await client.execute({ sql: READ, args: [1] });
    if (rows[0]?.[1] !== text) stale += 1;
  }
  console.log(`stale reads after a write on a replica, ${name}: ${stale} of 300`);
}
await replica.stop();
await primary.stop();
process.exit(0);

async function measure(name: string, parallel: number, call: (id: number) => Promise<unknown>): Promise<void> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    requests = 0;
    const before = process.cpuUsage();
    for (let done = 0; done < CALLS; done += parallel)
      await Promise.all(Array.from({ length: parallel }, (_, each) => call((done + each) % ROWS)));
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / CALLS);
  }
  const sent = requests > 0 ? `, ${(CALLS / requests).toFixed(0)} calls per request` : '';
  console.log(`${name}, ${parallel} at a time: ${best.toFixed(0)} us of processor time${sent}`);
}
