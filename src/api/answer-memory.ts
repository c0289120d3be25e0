import type { Content } from '../repository/content/content.ts';
import type { SurroundingsQuestion } from '../repository/content/surroundings.ts';

/** So many answers are remembered: those that are asked for again and again. */
const PLACES = 256;
/** What is longer is made anew each time: with any Host that they like, callers can have any number of answers. */
export const MAX_REMEMBERED_CHARS = 64 * 1024;

/** What an answer is made from, besides the key. */
export interface AnswerSource {
  /** The very content: it is read anew with every change (`find-content.ts`). */
  readonly content: Content;
  readonly question: SurroundingsQuestion;
  /** What the database says of everything around it, but for terms and settings. */
  readonly texts: readonly string[];
  /** In which terms and settings are as they are. */
  readonly generation: number;
}

export interface RememberedAnswer<Answer> extends AnswerSource {
  readonly key: string;
  readonly answer: Answer;
  /** Of the database, from before it was last found to be true (`Database.stamp`). */
  stamp: number | undefined;
}

/**
 * The latest answers with everything that they were made from. Nothing in here grows old: an answer is used only where
 * nothing at all has been written since, or after all of that has been read again and found the same, which costs less
 * than to make it.
 */
export class AnswerMemory<Answer> {
  readonly #places = new Array<RememberedAnswer<Answer> | undefined>(PLACES).fill(undefined);

  /** What is remembered for a key, and true as long as the database has this stamp. */
  findTrue(key: string, stamp: number): RememberedAnswer<Answer> | undefined {
    const remembered = this.#places[placeOf(key)];
    return remembered?.stamp === stamp && remembered.key === key ? remembered : undefined;
  }

  /** What is remembered for a key and content, still to be compared with what is around it now. */
  find(key: string, content: Content): RememberedAnswer<Answer> | undefined {
    const remembered = this.#places[placeOf(key)];
    return remembered?.key === key && remembered.content === content ? remembered : undefined;
  }

  /** `chars` is how long the answer is. */
  remember(remembered: RememberedAnswer<Answer>, chars: number): void {
    const { content, question, texts, key } = remembered;
    const others = content.document.length + question.sql.length + texts.join('').length + key.length;
    if (chars + others > MAX_REMEMBERED_CHARS) return;
    this.#places[placeOf(remembered.key)] = remembered;
  }
}

/** Whether nothing has changed around what is remembered. */
export function isStillTrue(remembered: AnswerSource, texts: readonly string[], generation: number): boolean {
  return (
    remembered.generation === generation &&
    remembered.texts.length === texts.length &&
    remembered.texts.every((text, index) => text === texts[index])
  );
}

function placeOf(key: string): number {
  return Bun.hash.crc32(key) % PLACES;
}
