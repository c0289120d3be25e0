import pino from 'pino';

/** What the library keeps under symbols so that it can be exchanged. `time` is JSON already. */
interface Inner {
  /** How a line of a level begins. */
  readonly [pino.symbols.lsCacheSym]: Record<number, string>;
  /** The facts of a child log, as JSON. */
  readonly [pino.symbols.chindingsSym]: string;
  [pino.symbols.asJsonSym]: (
    this: Inner,
    facts: object,
    message: string | undefined,
    level: number,
    time: string,
  ) => string;
}

/**
 * Lets a log, and its children, put each line into JSON as a whole: the library does so with one fact after the other,
 * which costs a fifth of all that it costs to answer a small request. The lines stay as they are. Errors, and what no
 * JSON can be made of, are left to the library.
 */
export function makeLinesAsWhole(log: pino.Logger): pino.Logger {
  const inner = log as pino.Logger & Inner;
  const makeOfParts = inner[pino.symbols.asJsonSym];
  inner[pino.symbols.asJsonSym] = function makeLine(facts, message, level, time) {
    if ('err' in facts) return makeOfParts.call(this, facts, message, level, time);
    try {
      // A copy in any case: a list or a date would else be something other than an object.
      const json = JSON.stringify(message === undefined ? { ...facts } : { ...facts, msg: message });
      const start = `${this[pino.symbols.lsCacheSym][level]}${time}${this[pino.symbols.chindingsSym]}`;
      return `${start}${json === '{}' ? '' : ','}${json.slice(1)}\n`;
    } catch {
      return makeOfParts.call(this, facts, message, level, time);
    }
  };
  return log;
}
