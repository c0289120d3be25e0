import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder } from '../support/empty-folder.ts';
import { EXECUTABLE, type ServerProcess, startServer } from '../support/server-process.ts';
import { ADMIN_PASSWORD } from '../support/test-repository.ts';
import { detailedNode } from './fill.ts';
import { load } from './raw-load.ts';
import { type Figure, inTurns, ratioOf, report } from './report.ts';
import { makeSite, requests } from './repository-load.ts';
import { writeTable } from './write-table.ts';

/**
 * What writing costs with the search index. `REPO_WITHOUT_INDEX=/path/to/repo` names a build without one, with which it
 * is compared in turns: the program has no switch for it.
 */

const TO_OTHER = ', to one without the index';
const SECONDS = 3;
const CLIENTS = 32;
const IMPORTS = 2;
const ROWS = 100_000;

const without = process.env.REPO_WITHOUT_INDEX;
if (without === undefined) {
  console.log('\nSearch index: not measured. REPO_WITHOUT_INDEX=/path/to/repo names a build without one.');
  process.exit(0);
}

const folder = await emptyFolder();
const env = { PATH: process.env.PATH ?? '', REPO_ADMIN_PASSWORD: ADMIN_PASSWORD };
const started: ServerProcess[] = [];
const figures: Figure[] = [];
try {
  await measurePosts();
  for (const server of started.splice(0)) await server.stop();
  await measureImports();
} finally {
  for (const server of started) await server.stop();
  await rm(folder, { recursive: true, force: true });
}
report('Search index', figures);

async function measurePosts(): Promise<void> {
  const rateOf = async (executable: string, name: string) => {
    const server = await serve(executable, join(folder, name));
    started.push(server);
    const { targets } = await makeSite(server.url);
    const post = requests.post(JSON.stringify(detailedNode(targets)));
    const { port } = server;
    return async () =>
      (await load({ port, connections: CLIENTS, seconds: SECONDS, next: () => post, statuses: [201] })).perSecond;
  };
  const ours = await rateOf(EXECUTABLE, 'posts');
  const other = await rateOf(without as string, 'posts-without');
  figures.push(ratioOf(`POST of a node with 20 fields${TO_OTHER}`, await inTurns(ours, other), 0.8));
}

async function measureImports(): Promise<void> {
  const table = join(folder, 'nodes.csv');
  await writeTable(table, ROWS);
  let round = 0;
  const rateOf = (executable: string) => async () => {
    const data = join(folder, `import-${round++}`);
    await (await serve(executable, data)).stop();
    const startedAt = performance.now();
    const args = [executable, 'import', table, '--data', data, '--create-terms', 'person', '--quiet'];
    const child = Bun.spawn(args, { env, cwd: folder, stdout: 'ignore', stderr: 'pipe' });
    const [complaints, code] = await Promise.all([new Response(child.stderr).text(), child.exited]);
    if (code !== 0) throw new Error(`repo import ended with ${code}: ${complaints}`);
    await rm(data, { recursive: true });
    return ROWS / ((performance.now() - startedAt) / 1000);
  };
  const rates = await inTurns(rateOf(EXECUTABLE), rateOf(without as string), IMPORTS);
  figures.push(ratioOf(`import of ${ROWS} nodes${TO_OTHER}`, rates, 0.7));
}

function serve(executable: string, data: string): Promise<ServerProcess> {
  return startServer({ executable, mode: 'repository', data, args: ['--log-level', 'warn'] });
}
