/** A problem that prevents the import of a package. */
export interface PackageProblem {
  /** The file of the package, and the position in it if known: `node.json title.0.value`. */
  readonly path: string;
  /** The problem, and what is valid. */
  readonly message: string;
}

/** A problem of one of several packages. */
export interface ImportProblem extends PackageProblem {
  /** The location of the package. */
  readonly name: string;
}

/** The error for a package, or a part of it, that cannot be restored. */
export class PackageRefused extends Error {
  override readonly name = 'PackageRefused';
  readonly problems: readonly PackageProblem[];

  constructor(...problems: PackageProblem[]) {
    super(problems.map(({ path, message }) => `${path}: ${message}`).join('\n'));
    this.problems = problems;
  }
}

/** Returns a problem with its path prefixed by a file. */
export function within(file: string, { path, message }: PackageProblem): PackageProblem {
  return { path: path === '' ? file : `${file} ${path}`, message };
}
