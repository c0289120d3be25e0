import { isoSeconds } from '../../field-types/epoch-seconds.ts';
import { timeInWords } from '../revisions/revision-words.tsx';

/** A time in words, in UTC as in the history of content. */
export function Moment({ at }: { readonly at: number }) {
  return <time datetime={isoSeconds(at)}>{timeInWords(at)}</time>;
}
