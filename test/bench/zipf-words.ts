import { createRandom } from '../support/random.ts';

const SYLLABLES = 'ba be bi bo bu da de di do du fa fe ga go ha he ka ke ki ko la le li lo lu ma me mi mo mu'
  .concat(' na ne ni no nu pa pe po ra re ri ro ru sa se si so su ta te ti to tu va ve vi wa we za ze')
  .split(' ');

/** Returns different words, the same on every run. */
export function makeWords(count: number): string[] {
  const random = createRandom(7).fraction;
  const syllable = () => SYLLABLES[Math.floor(random() * SYLLABLES.length)] as string;
  const words = new Set<string>();
  while (words.size < count) {
    let word = syllable() + syllable();
    while (random() < 0.55) word += syllable();
    words.add(word);
  }
  return [...words];
}

/** Returns a function that draws a rank from 0 by Zipf's law. */
export function zipfOf(count: number, random: () => number): () => number {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank++) {
    sum += 1 / (rank + 1);
    sums[rank] = sum;
  }
  return () => {
    const wanted = random() * sum;
    let [low, high] = [0, count - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] as number) < wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}
