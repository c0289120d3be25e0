import { stat } from 'node:fs/promises';
import { codeOf } from '../../base/errors.ts';
import { migrations } from '../../database/migrate.ts';
import type { StatusGroup, StatusLine } from '../../web/status-report.ts';
import { databaseFileOf } from '../open-database.ts';
import { fine, fix, look, sizeText } from './status-line.ts';
import type { StatusParts } from './status-parts.ts';

/** From this size, the log of a database is being kept long by a reader or a writer that does not end. */
const LONG_LOG_BYTES = 1024 ** 3;

/** Returns the kind and the size of the database. */
export async function databaseGroup({ config, services }: StatusParts): Promise<StatusGroup> {
  const file = databaseFileOf(config);
  const { syncUrl } = config.database;
  const kind =
    file === undefined ? 'libSQL server' : syncUrl === undefined ? 'local file' : 'libSQL server, with a local replica';
  return {
    title: 'Database',
    lines: [
      fine('Kind', `${kind}${services.database.isShared ? ', shared by servers' : ''}`),
      fine('Version of the tables', `${migrations.length} migrations, all applied`),
      ...(file === undefined ? [] : await fileLines(file)),
    ],
  };
}

async function fileLines(file: string): Promise<StatusLine[]> {
  const [bytes, log] = await Promise.all([sizeOf(file), sizeOf(`${file}-wal`)]);
  if (bytes === undefined)
    return [fix('File', 'missing', 'Stop the repository, and restore a backup with: repo restore')];
  const logText = sizeText(log ?? 0);
  return [
    fine('Size of the file', sizeText(bytes)),
    (log ?? 0) < LONG_LOG_BYTES
      ? fine('Size of its log', logText)
      : look(
          'Size of its log',
          logText,
          'A backup, an import or another process keeps the log. It shrinks afterwards.',
        ),
  ];
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
