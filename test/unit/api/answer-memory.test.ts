import { describe, expect, it } from 'bun:test';
import { AnswerMemory, isStillTrue } from '../../../src/api/answer-memory.ts';
import type { Content } from '../../../src/repository/content/content.ts';
import { NOTHING_ASKED } from '../../../src/repository/content/surroundings.ts';

const LIMIT = 64 * 1024;

/** Content as far as the memory looks at it. */
const contentOf = (chars: number) => ({ document: 'x'.repeat(chars) }) as Content;

interface Lengths {
  readonly answer?: number;
  readonly document?: number;
  readonly text?: number;
}

/** Remembers an answer of which something has so many characters; answers what is found afterwards. */
function foundAfter({ answer = 10, document = 10, text = 10 }: Lengths): string | undefined {
  const memory = new AnswerMemory<string>();
  const content = contentOf(document);
  const source = { content, question: NOTHING_ASKED, texts: ['x'.repeat(text)], generation: 1, stamp: 1 };
  memory.remember({ ...source, key: 'k', answer: 'an answer' }, answer);
  return memory.find('k', content)?.answer;
}

describe('the memory of answers', () => {
  it('finds an answer by its key and the very content that it was made from', () => {
    const memory = new AnswerMemory<string>();
    const content = contentOf(10);
    memory.remember(
      { key: 'a', content, question: NOTHING_ASKED, texts: ['t'], generation: 3, stamp: 1, answer: 'an answer' },
      10,
    );
    expect(memory.find('a', content)).toMatchObject({ answer: 'an answer', texts: ['t'], generation: 3 });
    expect(memory.find('b', content)).toBeUndefined();
    expect(memory.find('a', contentOf(10))).toBeUndefined();
  });

  it('finds an answer by its key and the stamp under which it was last found to be true', () => {
    const memory = new AnswerMemory<string>();
    const source = { content: contentOf(10), question: NOTHING_ASKED, texts: [], generation: 1 };
    memory.remember({ ...source, key: 'a', answer: 'an answer', stamp: 7 }, 10);
    memory.remember({ ...source, key: 'b', answer: 'another', stamp: undefined }, 10);
    expect(memory.findTrue('a', 7)?.answer).toBe('an answer');
    expect(memory.findTrue('a', 8)).toBeUndefined();
    expect(memory.findTrue('b', 7)).toBeUndefined();
    expect(memory.findTrue('c', 7)).toBeUndefined();
  });

  it('has an answer that is not long, with what it was made from', () => {
    expect(foundAfter({})).toBe('an answer');
    for (const part of ['answer', 'document', 'text'] as const)
      expect([part, foundAfter({ [part]: LIMIT - 100 })]).toEqual([part, 'an answer']);
  });

  it('has no answer beyond 64 KiB, and none that was made from more than that', () => {
    for (const part of ['answer', 'document', 'text'] as const)
      expect([part, foundAfter({ [part]: LIMIT + 1 })]).toEqual([part, undefined]);
    expect(foundAfter({ answer: 30_000, document: 30_000, text: 30_000 })).toBeUndefined();
  });

  it('has the latest of the answers with the same key', () => {
    const memory = new AnswerMemory<string>();
    const contents = [contentOf(10), contentOf(20)];
    for (const [index, content] of contents.entries())
      memory.remember(
        { key: 'k', content, question: NOTHING_ASKED, texts: [], generation: 1, stamp: 1, answer: `answer ${index}` },
        10,
      );
    const [former, latest] = contents.map((content) => memory.find('k', content as Content)?.answer);
    expect([former, latest]).toEqual([undefined, 'answer 1']);
  });
});

describe('a remembered answer', () => {
  const source = { content: contentOf(10), question: NOTHING_ASKED, texts: ['a', 'b'], generation: 1 };

  it('is still true where all that it was made from is the same', () => {
    expect(isStillTrue(source, ['a', 'b'], 1)).toBe(true);
  });

  it('is not after any change', () => {
    for (const texts of [['a'], ['a', 'c'], ['a', 'b', 'c'], []])
      expect([texts, isStillTrue(source, texts, 1)]).toEqual([texts, false]);
    expect(isStillTrue(source, ['a', 'b'], 2)).toBe(false);
  });
});
