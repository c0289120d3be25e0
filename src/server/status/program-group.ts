import { sql } from 'drizzle-orm';
import { dependencies, name, version } from '../../../package.json' with { type: 'json' };
import { countInWords, secondsInWords } from '../../base/in-words.ts';
import { plain, prepare } from '../../database/statement.ts';
import type { StatusGroup } from '../../web/status-report.ts';
import { fine, look } from './status-line.ts';
import type { StatusParts } from './status-parts.ts';

const findVersion = prepare(() => plain(sql`SELECT sqlite_version()`, { sqlite: sql<string>`sqlite` }));

/** Returns the versions of the program and of its parts, and how it runs. */
export async function programGroup({ services, config, workers }: StatusParts): Promise<StatusGroup> {
  const row = await services.database.get(findVersion());
  const { baseUrl } = config;
  return {
    title: 'Program',
    lines: [
      fine('Version', `${name} ${version}`),
      fine('Bun', Bun.version),
      fine('SQLite', `${row?.sqlite ?? 'unknown'}, libSQL ${dependencies.libsql}`),
      fine('Running for', secondsInWords(process.uptime())),
      fine('Worker processes', workers === 1 ? '1 process' : countInWords(workers, 'process', 'processes')),
      baseUrl === undefined
        ? look(
            'Public address',
            'taken from each request',
            'Set baseUrl in the configuration: harvesters, citations and processors need one lasting address.',
          )
        : fine('Public address', baseUrl),
    ],
  };
}
