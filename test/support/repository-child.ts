import { createLog } from '../../src/base/log.ts';
import { DEFAULT_SERVER_CONFIG, type RepositoryConfig } from '../../src/config/server-config.ts';
import { startRepository } from '../../src/server/repository.ts';
import { withoutTiles } from './rules-without-tiles.ts';
import { ADMIN_PASSWORD } from './test-repository.ts';

/**
 * A repository in a process of its own, for tests that end it or run several on one data folder: says a line of JSON
 * with its port, and what it has cleared up, on its output. It ends with its input, so with the test too. Its arguments are
 * the data folder, what differs from the usual configuration as JSON, and the port.
 */
const [dataFolder, overrides = '{}', port = '0'] = Bun.argv.slice(2) as [string, string?, string?];
let removed = 0;
const destination = {
  write(line: string) {
    const entry = JSON.parse(line) as { removed?: number; level: string; status?: number };
    removed += entry.removed ?? 0;
    const isRefusal = entry.status !== undefined && entry.status < 500;
    if (entry.level !== 'info' && !isRefusal) process.stderr.write(line);
  },
};
const running = await startRepository({
  config: withoutTiles({
    ...DEFAULT_SERVER_CONFIG,
    dataFolder,
    ...(JSON.parse(overrides) as Partial<RepositoryConfig>),
  }),
  host: '127.0.0.1',
  port: Number(port),
  administratorPassword: ADMIN_PASSWORD,
  log: createLog({ level: 'info', format: 'json', destination }),
});
process.stdout.write(`${JSON.stringify({ port: Number(running.url.port), removed })}\n`);
for await (const _ of Bun.stdin.stream());
await running.stop(5);
process.exit(0);
