import type { OutsideNeed, PackageCheck } from './check-package.ts';
import { NODE_PATH } from './package-layout.ts';
import type { ImportProblem } from './package-problem.ts';

interface NamedNeed {
  readonly name: string;
  readonly need: OutsideNeed;
}

/** What the packages of an import bring and need, all together. */
export class ImportPlan {
  readonly #problems: ImportProblem[] = [];
  readonly #brought = new Map<string, string>();
  readonly #aliases = new Map<string, string>();
  readonly #needs: NamedNeed[] = [];
  readonly #new = new Set<string>();
  readonly #strangers = new Set<string>();
  #packages = 0;
  #files = 0;
  #bytes = 0;

  addUnreadable(name: string, message: string): void {
    this.#packages += 1;
    this.#new.add(name);
    this.#problems.push({ name, path: '', message });
  }

  add(name: string, check: PackageCheck): void {
    this.#packages += 1;
    this.#problems.push(...check.problems.map((problem) => ({ name, ...problem })));
    if (!check.isPresent) this.#new.add(name);
    this.#requireOnce(name, check.node);
    for (const uuid of check.brings) if (!this.#brought.has(uuid)) this.#brought.set(uuid, name);
    for (const { alias, path, uuid } of check.aliases) {
      const other = this.#aliases.get(alias);
      // The same thing may be in two packages: a media of two nodes is.
      if (other !== undefined && other !== uuid) {
        const message = `The alias ${alias} is also that of another one in this import. Give one of them another.`;
        this.#problems.push({ name, path: `${path} path.0.alias`, message });
      }
      this.#aliases.set(alias, uuid);
    }
    this.#needs.push(...check.needs.map((need) => ({ name, need })));
    if (!check.isPresent) for (const stranger of check.strangers) this.#strangers.add(stranger);
    this.#files += check.files;
    this.#bytes += check.bytes;
  }

  /** Of two states of a node that is not here yet, nobody knows which is meant. */
  #requireOnce(name: string, node: string | undefined): void {
    const other = node === undefined ? undefined : this.#brought.get(node);
    if (other === undefined) return;
    const message = `Its node ${node} is in ${other}, too. Import one of them, and leave the other out.`;
    this.#problems.push({ name, path: NODE_PATH, message });
  }

  get packages(): number {
    return this.#packages;
  }

  get newPackages(): number {
    return this.#new.size;
  }

  /** Those that the repository has already as a whole. */
  get present(): number {
    return this.#packages - this.#new.size;
  }

  get expected(): { files: number; bytes: number } {
    return { files: this.#files, bytes: this.#bytes };
  }

  isNew(name: string): boolean {
    return this.#new.has(name);
  }

  brings(uuid: string): boolean {
    return this.#brought.has(uuid);
  }

  /** All that keeps the import from being loaded. To be asked when all packages were added. */
  problems(): ImportProblem[] {
    const missing = this.#needs.filter(({ need }) => !need.isOptional && !this.brings(need.uuid));
    return [
      ...this.#problems,
      ...missing.map(({ name, need: { path, message } }) => ({ name, path, message })),
      ...this.#circles(),
    ];
  }

  /** What will be otherwise, for nobody has it: references that are left out, and users who are not here. */
  notes(loader: string): string[] {
    const lost = this.#needs.filter(({ need }) => need.isOptional && !this.brings(need.uuid));
    return [
      ...[...this.#strangers].map(
        (name) => `There is no user ${name} here: what ${name} owned and changed becomes ${loader}'s.`,
      ),
      ...lost.map(({ name, need: { note } }) => `${name}: ${note}`),
    ];
  }

  /** Needs of what can never be made, for each of it would have to be there before the other. */
  #circles(): ImportProblem[] {
    let left = this.#needs.filter(({ need }) => !need.isOptional && this.brings(need.uuid));
    for (let count = -1; count !== left.length; ) {
      count = left.length;
      const waiting = new Set(left.map(({ need }) => need.from));
      left = left.filter(({ need }) => waiting.has(need.uuid));
    }
    return left.map(({ name, need: { path, uuid } }) => ({
      name,
      path,
      message: `It refers to ${uuid}, and that to it in the end, in a circle: none of them can be made first.`,
    }));
  }
}
