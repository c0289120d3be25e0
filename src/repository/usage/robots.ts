/** A visitor whose name is longer is compared by its beginning. */
const MAX_AGENT_CHARS = 512;

/** Returns true for the user agent of a program whose requests are no use by people. */
export type IsRobot = (userAgent: string) => boolean;

/**
 * Parses a list of robots: JSON as COUNTER publishes it (a list of objects with a `pattern`), or text with a pattern in each
 * line. Each pattern is a regular expression for a part of a user agent, in which case does not matter. Throws RangeError.
 */
export function parseRobots(text: string): IsRobot {
  const patterns = patternsOf(text);
  for (const pattern of patterns) compile(pattern);
  const any = compile(patterns.join('|') || '(?!)');
  return (userAgent) => any.test(userAgent.slice(0, MAX_AGENT_CHARS));
}

function compile(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'i');
  } catch {
    throw new RangeError(`the pattern ${JSON.stringify(pattern)} is no regular expression`);
  }
}

function patternsOf(text: string): string[] {
  if (!text.trimStart().startsWith('['))
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  let entries: unknown[];
  try {
    entries = JSON.parse(text) as unknown[];
  } catch {
    throw new RangeError('the list is no valid JSON');
  }
  return entries.map((entry, index) => {
    const pattern = (entry as { pattern?: unknown } | null)?.pattern;
    if (typeof pattern !== 'string') throw new RangeError(`entry ${index + 1} of the list has no pattern`);
    return pattern;
  });
}
