/** Something that keeps a package from being loaded. */
export interface PackageProblem {
  /** The file of the package, and the place in it if there is one: `node.json title.0.value`. */
  readonly path: string;
  /** What is wrong, and what would be right. */
  readonly message: string;
}

/** The same of one of many packages. */
export interface ImportProblem extends PackageProblem {
  /** Where the package is. */
  readonly name: string;
}

/** A package, or a part of it, that cannot be restored. */
export class PackageRefused extends Error {
  override readonly name = 'PackageRefused';
  readonly problems: readonly PackageProblem[];

  constructor(...problems: PackageProblem[]) {
    super(problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
    this.problems = problems;
  }
}

/** Returns a problem with the file that it is in. */
export function within(file: string, { path, message }: PackageProblem): PackageProblem {
  return { path: path === '' ? file : `${file} ${path}`, message };
}
