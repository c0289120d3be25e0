import { parseArgs } from 'node:util';
import { type CopiedCheckout, copyCheckout, type Failure } from './support/mutants/copied-checkout.ts';
import { PARTS, type Part, testsOf } from './support/mutants/parts.ts';
import { type Mutant, pickMutants } from './support/mutants/pick-mutants.ts';

/**
 * Measures how many faults the tests notice. Changes one operator of a source file at a time, and runs the tests of its part:
 * a mutant is killed if a test fails, if the file has a type error, or if the tests hang. A survivor shows a line without a
 * test of its behaviour, or a change without an effect. Works in copies of the checkout.
 *
 * `bun test/mutants.ts [--seed N] [--count 60] [--at-once 2] [PART…]`; the parts are those of `support/mutants/parts.ts`.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '60' },
    'at-once': { type: 'string', default: '2' },
  },
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

const parts = positionals.length === 0 ? PARTS : positionals.map(partOf);
const mutants = await pickMutants(parts, Number(values.seed), Number(values.count));
const copies = await Promise.all(Array.from({ length: Number(values['at-once']) }, copyCheckout));
await checkUnchanged(copies);
report(await judgeAll(copies));

function partOf(name: string): Part {
  const part = PARTS.find((each) => each.name === name);
  if (part !== undefined) return part;
  console.error(`Unknown part "${name}". The parts are ${PARTS.map((each) => each.name).join(', ')}.`);
  process.exit(2);
}

/** Runs the tests on the sources as they are: a mutant is not killed by a test that fails anyway. */
async function checkUnchanged(all: readonly CopiedCheckout[]): Promise<void> {
  const tests = [...new Set(mutants.flatMap(({ part, file }) => testsOf(part, file)))];
  const failures = await eachOf(
    all,
    tests,
    (copy, test) => copy.run([test]),
    () => {},
  );
  const failure = failures.find((each) => each !== undefined);
  if (failure === undefined) return;
  console.error(`A test fails without any change: ${failure}`);
  process.exit(1);
}

function judgeAll(all: readonly CopiedCheckout[]): Promise<Failure[]> {
  return eachOf(
    all,
    mutants,
    async (copy, mutant) => (mutant.isTyped ? copy.judge(mutant) : 'a type error'),
    ({ file, change }, failure) => {
      const result = failure === undefined ? 'SURVIVED' : `killed by ${failure}`;
      console.log(`${file}:${change.line}  ${change.label}  ${result}`);
    },
  );
}

/** Runs a task for each item in the next free copy. Reports the results in the order of the items. */
async function eachOf<Item>(
  all: readonly CopiedCheckout[],
  items: readonly Item[],
  task: (copy: CopiedCheckout, item: Item) => Promise<Failure>,
  report: (item: Item, failure: Failure) => void,
): Promise<Failure[]> {
  const results: { readonly failure: Failure }[] = [];
  let next = 0;
  let told = 0;
  await Promise.all(
    all.map(async (copy) => {
      while (next < items.length) {
        const at = next++;
        results[at] = { failure: await task(copy, items[at] as Item) };
        for (let done = results[told]; done !== undefined; done = results[++told])
          report(items[told] as Item, done.failure);
      }
    }),
  );
  return results.map(({ failure }) => failure);
}

/** Prints a table by part. */
function report(failures: readonly Failure[]): void {
  const rows = [...parts, undefined].map((part) => {
    const ofPart = failures.filter((_, at) => part === undefined || (mutants[at] as Mutant).part === part);
    const killed = ofPart.filter((failure) => failure !== undefined);
    const percent = ofPart.length === 0 ? '' : `${Math.round((killed.length / ofPart.length) * 100)} %`;
    const byTypes = killed.filter((failure) => failure === 'a type error').length;
    return [part?.name ?? 'all', ofPart.length, killed.length, byTypes, ofPart.length - killed.length, percent];
  });
  console.log();
  for (const row of [['part', 'mutants', 'killed', 'by types', 'survived', ''], ...rows])
    console.log(row.map((cell, at) => (at === 0 ? String(cell).padEnd(10) : String(cell).padStart(9))).join(''));
}
