import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SyntaxKind } from 'typescript/unstable/ast';
import { API } from 'typescript/unstable/async';
import { createRandom } from '../random.ts';
import { type Change, changed, findChanges } from './find-changes.ts';
import type { Part } from './parts.ts';

/** A changed source file. */
export interface Mutant {
  readonly part: Part;
  /** From the root of the checkout: `src/search/setup.ts`. */
  readonly file: string;
  readonly change: Change;
  /** The text of the whole file. */
  readonly text: string;
  /** False if the file has a type error. */
  readonly isTyped: boolean;
}

const CONFIG = 'tsconfig.json';
/** Complaints about unused variables, imports and parameters: the program runs nevertheless. */
const UNUSED: ReadonlySet<number> = new Set([6133, 6138, 6192, 6196, 6198, 6199, 6205]);

/**
 * Picks changes of the sources of parts, each about as often, and no change twice. The same seed, number, parts and sources
 * have the same result.
 */
export async function pickMutants(parts: readonly Part[], seed: number, count: number): Promise<Mutant[]> {
  const random = createRandom(seed);
  const sources = await openSources();
  try {
    const possible = await Promise.all(parts.map((part) => sources.changesOf(part)));
    const mutants: Mutant[] = [];
    for (let turn = 0; mutants.length < count && possible.some(({ length }) => length > 0); turn++) {
      const ofPart = possible[turn % possible.length] ?? [];
      const [picked] = ofPart.splice(random.below(ofPart.length), 1);
      if (picked !== undefined) mutants.push({ ...picked, isTyped: await sources.isTyped(picked) });
    }
    return mutants;
  } finally {
    await sources.close();
  }
}

type Candidate = Omit<Mutant, 'isTyped'>;

/** Opens the checkout with the compiler, which sees a changed file in place of the stored one. */
async function openSources() {
  const replaced = new Map<string, string>();
  const api = new API({ cwd: process.cwd(), fs: { readFile: (name) => replaced.get(name) } });
  const openProjects = [resolve(CONFIG)];
  const programOf = async (summary: { changed?: string[] }) => {
    const snapshot = await api.updateSnapshot({ openProjects, fileChanges: summary });
    const project = snapshot.getProjects()[0];
    if (project === undefined) throw new Error(`${CONFIG} describes no project.`);
    return { snapshot, program: project.program };
  };
  const first = await programOf({});

  return {
    async changesOf(part: Part): Promise<Candidate[]> {
      const files = part.sources.flatMap((folder) => [...new Bun.Glob(`src/${folder}/**/*.{ts,tsx}`).scanSync('.')]);
      const found = files.toSorted().map(async (file): Promise<Candidate[]> => {
        const source = await first.program.getSourceFile(resolve(file));
        if (source?.kind !== SyntaxKind.SourceFile) throw new Error(`${file} is not a file of ${CONFIG}.`);
        const text = await readFile(file, 'utf8');
        return findChanges(source).map((change) => ({ part, file, change, text: changed(text, change) }));
      });
      return (await Promise.all(found)).flat();
    },

    async isTyped({ file, text }: Candidate): Promise<boolean> {
      const path = resolve(file);
      replaced.set(path, text);
      const { snapshot, program } = await programOf({ changed: [path] });
      const problems = [
        ...(await program.getSyntacticDiagnostics(path)),
        ...(await program.getSemanticDiagnostics(path)),
      ];
      replaced.delete(path);
      await snapshot.dispose();
      return problems.every(({ code }) => UNUSED.has(code));
    },

    close: () => api.close(),
  };
}
