import { distance } from 'fastest-levenshtein';

/** Returns the number of edits up to which a text is similar to a word. */
const allowedEditsOf = (word: string) => Math.max(2, Math.floor(word.length / 3));

/** Returns the number of edits between two texts in any case. */
const editsOf = (one: string, other: string) => distance(one.toLowerCase(), other.toLowerCase());

/** Returns the most similar word of `known`, or undefined if none is similar. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined;
  let bestEdits = allowedEditsOf(word) + 1;
  for (const candidate of known) {
    const edits = editsOf(word, candidate);
    if (edits < bestEdits) [best, bestEdits] = [candidate, edits];
  }
  return best;
}

/** Returns the entries whose names contain a word or are similar to it, the most similar first, at most `limit`. */
export function nearestOf<Entry extends { readonly label: string }>(
  word: string,
  entries: readonly Entry[],
  limit: number,
): Entry[] {
  const allowed = allowedEditsOf(word);
  const contains = ({ label }: Entry) => label.toLowerCase().includes(word.toLowerCase());
  return entries
    .map((entry) => ({ entry, edits: editsOf(word, entry.label) }))
    .filter(({ entry, edits }) => edits <= allowed || contains(entry))
    .toSorted((one, other) => one.edits - other.edits)
    .slice(0, limit)
    .map(({ entry }) => entry);
}
