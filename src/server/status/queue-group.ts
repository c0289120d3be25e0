import { countInWords, secondsInWords } from '../../base/in-words.ts';
import { readQueueFigures } from '../../jobs/find-jobs.ts';
import { paths } from '../../paths.ts';
import type { StatusGroup, StatusLine } from '../../web/status-report.ts';
import { fine, fix, look } from './status-line.ts';
import type { StatusParts } from './status-parts.ts';

/** A queue whose oldest job has been due for this time makes no progress, or is much too long. */
const LONG_WAIT_S = 3_600;

/** Returns the state of the queue of derivatives. */
export async function queueGroup({ services, config, programs }: StatusParts): Promise<StatusGroup> {
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
