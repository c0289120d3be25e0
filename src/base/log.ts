import pino from 'pino';
import pretty from 'pino-pretty';

export type Log = pino.Logger;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ['json', 'pretty'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export interface LogOptions {
  level: LogLevel;
  format: LogFormat;
  /** Where lines go; standard output if left out. */
  destination?: pino.DestinationStream;
}

/**
 * A log of one line per event: JSON for machines, or the same facts for a person at a terminal.
 * Both are written synchronously, so that the last line before an exit is not lost.
 */
export function createLog({ level, format, destination }: LogOptions): Log {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  };
  if (format === 'json') return pino(options, destination ?? pino.destination({ dest: 1, sync: true }));
  return pino(
    options,
    pretty({
      translateTime: 'SYS:HH:MM:ss',
      singleLine: true,
      colorize: process.stdout.isTTY === true,
      destination: destination ?? pino.destination({ dest: 1, sync: true }),
    }),
  );
}
