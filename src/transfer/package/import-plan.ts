import type { OutsideNeed, PackageCheck } from './check-package.ts';
import { NODE_PATH } from './package-layout.ts';
import type { ImportProblem } from './package-problem.ts';

interface NamedNeed {
  readonly name: string;
  readonly need: OutsideNeed;
}

/** The entities that the packages of an import add and need together. */
export class ImportPlan {
  readonly #problems: ImportProblem[] = [];
  readonly #brought = new Map<string, string>();
  readonly #aliases = new Map<string, string>();
  readonly #needs: NamedNeed[] = [];
  readonly #new = new Set<string>();
  readonly #unknownUsers = new Set<string>();
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
      // An entity may be in two packages, such as a media of two nodes.
      if (other !== undefined && other !== uuid) {
        const message = `Another entity of this import has the alias ${alias}, too. Change one of the two.`;
        this.#problems.push({ name, path: `${path} path.0.alias`, message });
      }
      this.#aliases.set(alias, uuid);
    }
    this.#needs.push(...check.needs.map((need) => ({ name, need })));
    if (!check.isPresent) for (const unknownUser of check.unknownUsers) this.#unknownUsers.add(unknownUser);
    this.#files += check.files;
    this.#bytes += check.bytes;
  }

  /** Adds a problem if two packages hold the same new node: neither of their states takes precedence. */
  #requireOnce(name: string, node: string | undefined): void {
    const other = node === undefined ? undefined : this.#brought.get(node);
    if (other === undefined) return;
    const message = `${other} holds its node ${node}, too. Import only one of the two.`;
    this.#problems.push({ name, path: NODE_PATH, message });
  }

  get packages(): number {
    return this.#packages;
  }

  get newPackages(): number {
    return this.#new.size;
  }

  /** Number of packages that the repository already has completely. */
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

  /** Returns the problems that prevent the import. Call it after all packages were added. */
  problems(): ImportProblem[] {
    const missing = this.#needs.filter(({ need }) => !need.isOptional && !this.brings(need.uuid));
    return [
      ...this.#problems,
      ...missing.map(({ name, need: { path, message } }) => ({ name, path, message })),
      ...this.#findCycles(),
    ];
  }

  /** Returns the differences to the packages: omitted references, and users without an account. */
  notes(loader: string): string[] {
    const lost = this.#needs.filter(({ need }) => need.isOptional && !this.brings(need.uuid));
    return [
      ...[...this.#unknownUsers].map(
        (name) => `There is no user ${name}: content and revisions of ${name} become those of ${loader}.`,
      ),
      ...lost.map(({ name, need: { note } }) => `${name}: ${note}`),
    ];
  }

  /** Returns a problem for each reference in a cycle: none of its entities can be created before the others. */
  #findCycles(): ImportProblem[] {
    let left = this.#needs.filter(({ need }) => !need.isOptional && this.brings(need.uuid));
    for (let count = -1; count !== left.length; ) {
      count = left.length;
      const waiting = new Set(left.map(({ need }) => need.from));
      left = left.filter(({ need }) => waiting.has(need.uuid));
    }
    return left.map(({ name, need: { path, uuid } }) => ({
      name,
      path,
      message: `Its reference to ${uuid} is part of a cycle, so that no entity of it can be created first.`,
    }));
  }
}
