import { createLocalClient } from '../../src/database/local/open-local-database.ts';

/** A process for tests that writes to a database without a pause: says `writing` after its first commit. */
const [file] = Bun.argv.slice(2) as [string];
const client = createLocalClient(file);
const slow = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
  UPDATE item SET name = 'busy' || (SELECT max(i) FROM n) WHERE id = 0`;
let isSaid = false;
async function writeOn(): Promise<never> {
  for (;;) {
    await client.batch([slow], 'write');
    if (!isSaid) process.stdout.write('writing\n');
    isSaid = true;
  }
}
await Promise.all([writeOn(), writeOn()]);
