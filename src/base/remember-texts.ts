/** Maximum number of remembered results. Languages and days of records are far fewer, or repeat themselves. */
const MAX_RESULTS = 1_000;
/** Longer texts are not remembered. */
const MAX_CHARACTERS = 64;

/**
 * Returns a pure function of a short text that remembers its results: the functions of `Intl` take microseconds, and a page
 * calls them dozens of times with the same few texts. It forgets all when it knows too many.
 */
export function rememberTexts<Result>(compute: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>();
  return (text) => {
    const result = known.get(text);
    if (result !== undefined) return result;
    const computed = compute(text);
    if (text.length > MAX_CHARACTERS) return computed;
    if (known.size >= MAX_RESULTS) known.clear();
    known.set(text, computed);
    return computed;
  };
}
