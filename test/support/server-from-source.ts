import { createLog } from '../../src/base/log.ts';
import type { RepositoryConfig } from '../../src/config/server-config.ts';
import { startRepository } from '../../src/server/repository.ts';
import { ADMIN_PASSWORD, UNLIMITED_CONFIG, withoutTiles } from './test-repository.ts';

/**
 * The repository of `startServer({ from: 'source' })`: its data folder, what differs from the usual configuration as JSON, its
 * port. It logs each line at once, so that a test sees the complaints of requests that were answered.
 */
const [dataFolder, settings, port] = Bun.argv.slice(2) as [string, string, string];
const running = await startRepository({
  config: withoutTiles({
    ...UNLIMITED_CONFIG,
    dataFolder,
    ...(JSON.parse(settings) as Partial<RepositoryConfig>),
  }),
  host: '127.0.0.1',
  port: Number(port),
  administratorPassword: ADMIN_PASSWORD,
  log: createLog({ level: 'info', format: 'json', destination: { write: (line) => void process.stdout.write(line) } }),
});
process.once('SIGTERM', async () => {
  await running.stop(5);
  process.exit(0);
});
