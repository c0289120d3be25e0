import pino from 'pino';

export type Log = pino.Logger;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ['json', 'pretty'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

interface LogOptions {
  level: LogLevel;
  format: LogFormat;
  /** The output (default: standard output). */
  destination?: pino.DestinationStream;
  /** Called if standard output cannot be written (default: reports it once on standard error). */
  onUnwritable?: (error: Error) => void;
}

/** Lines before an error are buffered up to this size and time: one write per line costs more than its creation. */
const BUFFER_CHARS = 8192;
const FLUSH_INTERVAL_MS = 50;
/** The beginning of a line that is written at once: the process may be about to end. */
const URGENT = /^\{"level":"(?:error|fatal)"/;
/** The maximum size of lines that wait for a blocked output, such as a file on a full disk. Further lines are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Creates a log with one line per event, as JSON or as readable text. JSON is buffered briefly, until an error or the exit. */
export function createLog({ level, format, destination, onUnwritable }: LogOptions): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp,
    formatters: { level: (label) => ({ level: label }) },
  };
  const output =
    format === 'json'
      ? (destination ?? gatheredOutput(onUnwritable))
      : outputForPeople(destination ?? openOutput(onUnwritable));
  const log: Log = pino(
    { ...options, onChild: (child) => void beginnings.set(child, beginningOf(child, output)) },
    output,
  );
  beginnings.set(log, beginningOf(log, output));
  return log;
}

/** The beginning of each line of a log after its time, and its output. */
interface Beginning {
  readonly bindings: string;
  readonly output: pino.DestinationStream;
}

const beginnings = new WeakMap<pino.Logger, Beginning>();

function beginningOf(log: pino.Logger, output: pino.DestinationStream): Beginning {
  const bindings = JSON.stringify(log.bindings()).slice(1, -1);
  return { bindings: bindings === '' ? '' : `,${bindings}`, output };
}

const timestamp = createTimestamp();

/**
 * Writes the same line as `log[level](facts, message)`, for facts that are JSON values. It serializes all facts together:
 * pino serializes each fact, which takes a sixth of the time of a small request.
 */
export function logFacts(log: Log, level: 'info' | 'warn' | 'error', facts: object, message: string): void {
  if (!log.isLevelEnabled(level)) return;
  const beginning = beginnings.get(log);
  if (beginning === undefined) log[level](facts, message);
  else {
    const { bindings, output } = beginning;
    const line = JSON.stringify({ ...facts, msg: message }).slice(1);
    output.write(`{"level":"${level}"${timestamp()}${bindings},${line}\n`);
  }
}

/** Writes each line at once. The stream of pino-pretty would end permanently at the first error of its output. */
function outputForPeople(output: pino.DestinationStream): pino.DestinationStream {
  // Loaded only where people read the log: it takes a megabyte.
  const { prettyFactory }: typeof import('pino-pretty') = require('pino-pretty');
  const format = prettyFactory(forPeople());
  return { write: (line) => void output.write(format(line)) };
}

/** Returns a function that converts lines of JSON to readable text. Other lines stay unchanged. */
export function createPrettyFormat(): (lines: string) => string {
  // Loaded only where people read the log: it takes a megabyte.
  const { prettyFactory }: typeof import('pino-pretty') = require('pino-pretty');
  const format = prettyFactory(forPeople());
  return (lines) =>
    lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => format(line))
      .join('');
}

const forPeople = () => ({
  translateTime: 'SYS:HH:MM:ss',
  singleLine: true,
  colorize: process.stdout.isTTY === true,
});

function gatheredOutput(onUnwritable: LogOptions['onUnwritable']): pino.DestinationStream {
  const output = openOutput(onUnwritable);
  let gathered = '';
  let timer: Timer | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = gathered;
    gathered = '';
    if (text !== '') output.write(text);
  };
  process.on('exit', flush);
  return {
    write(line) {
      gathered += line;
      if (gathered.length >= BUFFER_CHARS || URGENT.test(line)) flush();
      else timer ??= setTimeout(flush, FLUSH_INTERVAL_MS).unref();
    },
  };
}

/**
 * Creates the stream for standard output. A failed write must not end the program: the next write tries again, unless the
 * output is a closed pipe.
 */
function openOutput(onUnwritable: LogOptions['onUnwritable']) {
  const output = pino.destination({ dest: 1, sync: true, maxLength: MAX_WAITING_BYTES });
  let isTold = false;
  output.on('write', () => {
    isTold = false;
  });
  output.on('error', (error) => {
    if (onUnwritable) onUnwritable(error);
    else if (!isTold) console.error(`The log cannot be written at present: ${error.message}`);
    isTold = true;
  });
  return output;
}

/** Returns the time of a line, formatted once per millisecond. */
function createTimestamp(): () => string {
  let madeAt = 0;
  let text = '';
  return () => {
    const now = Date.now();
    if (now !== madeAt) {
      madeAt = now;
      text = `,"time":"${new Date(now).toISOString()}"`;
    }
    return text;
  };
}
