/** Observers of an export. */
export interface ExportWatch {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ExportProgress) => void;
  readonly onProblem: (problem: ExportProblem) => void;
}

export interface ExportProgress {
  readonly nodes: number;
  /** The number of nodes to export. */
  readonly total: number;
  readonly files: number;
  readonly bytes: number;
}

/** A part of a node that could not be exported. */
export interface ExportProblem {
  readonly nodeId: number;
  /** The problem, and what is valid. */
  readonly message: string;
}

/** The result of an export. */
export interface ExportSummary extends Omit<ExportProgress, 'total'> {
  readonly problems: number;
  /** True if the export was written. A table with wrong cells is not. */
  readonly isWritten: boolean;
  /** The counts of values that the format cannot hold, and of content of no node, by description. */
  readonly losses: ReadonlyMap<string, number>;
}

/** Counts and reports the progress of an export. */
export class ExportTally {
  nodes = 0;
  files = 0;
  bytes = 0;
  problems = 0;
  isUnusable = false;
  readonly losses = new Map<string, number>();
  readonly #watch: ExportWatch;
  readonly #total: number;

  constructor(watch: ExportWatch, total: number) {
    this.#watch = watch;
    this.#total = total;
  }

  addNode(): void {
    this.nodes += 1;
    this.#report();
  }

  addFile(bytes: number): void {
    this.files += 1;
    this.bytes += bytes;
    this.#report();
  }

  /** Reports a problem. `spoils` is true if an import would misread the exported table. */
  addProblem(nodeId: number, message: string, spoils = false): void {
    this.problems += 1;
    if (spoils) this.isUnusable = true;
    this.#watch.onProblem({ nodeId, message });
  }

  addLoss(description: string, count = 1): void {
    this.losses.set(description, (this.losses.get(description) ?? 0) + count);
  }

  summary(isWritten: boolean): ExportSummary {
    const { nodes, files, bytes, problems, losses } = this;
    return { nodes, files, bytes, problems, losses, isWritten };
  }

  #report(): void {
    const { nodes, files, bytes } = this;
    this.#watch.onProgress({ nodes, total: this.#total, files, bytes });
  }
}
