import { CommandError } from '../base/errors.ts';
import { createLog, createPrettyFormat } from '../base/log.ts';
import { settlesWithin } from '../base/settles-within.ts';
import { claimPort } from '../server/listen.ts';
import { createLogOutput } from '../server/workers/log-output.ts';
import type { ReadyMessage } from '../server/workers/parent.ts';
import { startWorkers } from '../server/workers/workers.ts';
import type { ExitCode } from './attempt.ts';
import type { WorkerToRun } from './run-worker.ts';
import { logStrayFailures, type Service, untilStopped } from './service.ts';
import { welcome } from './welcome.ts';

const STDOUT = 1;
/** The maximum wait for the reader of the log at the end, in milliseconds. */
const LAST_LINES_MS = 2_000;
/** The default host of a processor that checks no tokens. */
const THIS_MACHINE = '127.0.0.1';

/**
 * Starts and manages workers until a signal stops them, and prints their logs as one stream. Returns the exit code.
 * Throws ListenError, and CommandError on a system whose processes cannot share a port.
 */
export async function runWorkers({ options, what, config }: WorkerToRun): Promise<ExitCode> {
  if (process.platform !== 'linux')
    throw new CommandError('More than one worker needs Linux: elsewhere the system does not share a port among them.');
  const output = createLogOutput(STDOUT);
  const format = options.logFormat === 'json' ? (lines: string) => lines : createPrettyFormat();
  const lines = { write: (text: string) => output.write(format(text)) };
  const log = createLog({ level: options.logLevel, format: 'json', destination: lines });
  const written = () => settlesWithin(output.written(), LAST_LINES_MS);
  logStrayFailures(log, written);
  const { workers: count, dataFolder, baseUrl } = config;
  const port = await claimPort({ host: config.host, port: config.port });
  const processorPort = config.processorPort && (await claimProcessorPort(config.processorPort, what.host));
  const redirectPort =
    config.redirectPort &&
    (await claimPort({ host: config.host, port: config.redirectPort, option: '--redirect-port' }));
  const start = async (): Promise<Service | undefined> => {
    const takeLines = (text: string) => {
      lines.write(text);
      return output.room();
    };
    const workers = await startWorkers({ count, port, processorPort, redirectPort, log, takeLines });
    if (workers === undefined) return undefined;
    const [{ address }] = workers.ready as [ReadyMessage];
    const facts = { mode: what.mode, data: dataFolder, ...(baseUrl !== undefined && { baseUrl }), workers: count };
    log.info(facts, `ready at ${address}`);
    const newcomer = workers.ready.find(({ first }) => first !== undefined);
    if (newcomer?.first) output.write(`${await welcome(newcomer.first, dataFolder)}\n`);
    return { ...workers, kill: () => workers.kill().then(written) };
  };
  try {
    return await untilStopped(start, options);
  } finally {
    await written();
  }
}

function claimProcessorPort(port: number, host: string | undefined): Promise<number> {
  return claimPort({ host: host ?? THIS_MACHINE, port, option: '--processor-port' });
}
