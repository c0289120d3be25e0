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
