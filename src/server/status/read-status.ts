import { stat } from 'node:fs/promises';
import { sql } from 'drizzle-orm';
import { dependencies, name, version } from '../../../package.json' with { type: 'json' };
import { codeOf } from '../../base/errors.ts';
import { countInWords, secondsInWords } from '../../base/in-words.ts';
import { migrations } from '../../database/migrate.ts';
import { plain, prepare } from '../../database/statement.ts';
import { readQueueFigures } from '../../jobs/find-jobs.ts';
import { paths } from '../../paths.ts';
import { countContent } from '../../repository/content/lists/count-content.ts';
import type { StatusGroup, StatusLine, StatusReport } from '../../web/status-report.ts';
import { databaseFileOf } from '../open-database.ts';
import { accessGroup } from './access-group.ts';
import { fine, fix, look, sizeText } from './status-line.ts';
import type { StatusParts } from './status-parts.ts';
import { createStoredAmounts, storageGroup } from './storage-group.ts';
import { ToolVersions } from './tool-versions.ts';
import { upkeepGroup } from './upkeep-group.ts';

/** Creates the function that reads the state of a running repository. A part that cannot be read hides no other part. */
export function createReadStatus(parts: StatusParts): () => Promise<StatusReport> {
  const { services } = parts;
  const amounts = createStoredAmounts(services);
  const versions = new ToolVersions();
  const read = async (title: string, work: () => Promise<StatusGroup>): Promise<StatusGroup> => {
    try {
      return await work();
    } catch (error) {
      services.warn(`the status of "${title}" cannot be read`, error);
      return { title, lines: [fix('State', 'cannot be read', 'The log of the server has the reason.')] };
    }
  };
  return async () => {
    const groups = await Promise.all([
      read('Upkeep', () => upkeepGroup(parts)),
      read('Storage', () => storageGroup(parts, amounts)),
      read('Derivatives', () => queueGroup(parts)),
      read('Database', () => databaseGroup(parts)),
      read('Content', () => contentGroup(parts)),
      read('Access', () => accessGroup(parts)),
      read('Program', () => programGroup(parts)),
    ]);
    const tools = toolsGroup(parts, versions);
    return { at: services.now(), groups: tools === undefined ? groups : [...groups, tools] };
  };
}

/** Returns the amounts of content, with those of the content model. */
async function contentGroup({ services: { database, model } }: StatusParts): Promise<StatusGroup> {
  const { nodes, media, terms, paragraphs, users } = await countContent(database);
  const line = (label: string, count: number, noun: string, types: number, kind: string, kinds = `${kind}s`) =>
    fine(label, `${countInWords(count, noun)} of ${countInWords(types, kind, kinds)}`);
  return {
    title: 'Content',
    lines: [
      line('Items', nodes, 'item', model.nodeTypes.size, 'content type'),
      fine('Media', `${countInWords(media, 'media', 'media')} of ${countInWords(model.mediaTypes.size, 'media type')}`),
      line('Terms', terms, 'term', model.vocabularies.size, 'vocabulary', 'vocabularies'),
      ...(model.paragraphTypes.size === 0
        ? []
        : [line('Paragraphs', paragraphs, 'paragraph', model.paragraphTypes.size, 'paragraph type')]),
      // The anonymous user has a row.
      fine('Users', `${countInWords(users - 1, 'user')} with ${countInWords(model.roles.size, 'role')}`),
    ],
  };
}

/** From this size, the log of a database is being kept long by a reader or a writer that does not end. */
const LONG_LOG_BYTES = 1024 ** 3;

/** Returns the kind and the size of the database. */
async function databaseGroup({ config, services }: StatusParts): Promise<StatusGroup> {
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

const findVersion = prepare(() => plain(sql`SELECT sqlite_version()`, { sqlite: sql<string>`sqlite` }));

/** Returns the versions of the program and of its parts, and how it runs. */
async function programGroup({ services, config, workers }: StatusParts): Promise<StatusGroup> {
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

/** A queue whose oldest job has been due for this time makes no progress, or is much too long. */
const LONG_WAIT_S = 3_600;

/** Returns the state of the queue of derivatives. */
async function queueGroup({ services, config, programs }: StatusParts): Promise<StatusGroup> {
  const { counts, oldestDueSeconds } = await readQueueFigures(services.database);
  const of = (state: 'queued' | 'running' | 'waiting' | 'failed') => counts.get(state) ?? 0;
  const hasProcessor = programs !== undefined || config.derivatives.processors.length > 0;
  const jobs = (count: number) => countInWords(count, 'job');
  return {
    title: 'Derivatives',
    lines: [
      hasProcessor
        ? fine('Processor', processorText(config.derivatives.processors.length, programs !== undefined))
        : look('Processor', 'none', 'Start the mode all (--mode all), or name processors in derivatives.processors.'),
      queued(of('queued'), oldestDueSeconds, hasProcessor),
      fine('Running', jobs(of('running'))),
      of('waiting') === 0
        ? fine('Waiting for a program', jobs(0))
        : look('Waiting for a program', jobs(of('waiting')), 'Install the missing programs. The jobs then continue.'),
      of('failed') === 0
        ? fine('Failed', jobs(0))
        : look(
            'Failed',
            jobs(of('failed')),
            'See the reasons, and retry the jobs.',
            `${paths.derivatives}?state=failed`,
          ),
    ],
  };
}

function processorText(count: number, isEmbedded: boolean): string {
  const others = count === 0 ? [] : [`${countInWords(count, 'address', 'addresses')} in the configuration`];
  return [...(isEmbedded ? ['in this process'] : []), ...others].join(', and ');
}

function queued(count: number, oldestDueSeconds: number, hasProcessor: boolean): StatusLine {
  const jobs = countInWords(count, 'job');
  if (count === 0) return fine('Queued', jobs);
  const value = `${jobs}, the oldest due for ${secondsInWords(oldestDueSeconds)}`;
  if (!hasProcessor) return fix('Queued', value, 'Without a processor, no derivative is made.');
  if (oldestDueSeconds < LONG_WAIT_S) return fine('Queued', value);
  return look('Queued', value, 'Check that a processor answers. Add processors if the queue keeps growing.');
}

/** Returns the programs that the processor of this process calls, with their versions as far as they are read. */
function toolsGroup({ programs }: StatusParts, versions: ToolVersions): StatusGroup | undefined {
  if (programs === undefined) return undefined;
  const called = programs();
  // The request does not wait: the next one shows what was read.
  void versions.read(called);
  return {
    title: 'Programs of the processor',
    lines: called.map(({ name, path, packages }) => {
      if (path === undefined)
        return look(name, 'not installed', packages === undefined ? 'Install it.' : `Install it (${packages}).`);
      const version = versions.get(path);
      if (version === undefined) return fine(name, 'installed; its version is being read');
      return fine(name, version === 'unknown' ? 'installed' : version);
    }),
  };
}
