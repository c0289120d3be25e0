import { distance } from 'fastest-levenshtein';

/** Returns the most similar word of `known`, or undefined if none is similar. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const allowedEdits = Math.max(2, Math.floor(word.length / 3));
  let best: string | undefined;
  let bestEdits = allowedEdits + 1;
  for (const candidate of known) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    if (edits < bestEdits) [best, bestEdits] = [candidate, edits];
  }
  return best;
}
