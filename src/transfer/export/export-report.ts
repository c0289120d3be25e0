/** What is told of an export while it goes on. */
export interface ExportWatch {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: ExportProgress) => void;
  readonly onProblem: (problem: ExportProblem) => void;
}

export interface ExportProgress {
  readonly nodes: number;
  /** How many there are to export. */
  readonly total: number;
  readonly files: number;
  readonly bytes: number;
}

/** Something of a node that could not be exported. */
export interface ExportProblem {
  readonly nodeId: number;
  /** What is wrong, and what would be right. */
  readonly message: string;
}

/** What has come of an export. */
export interface ExportSummary extends Omit<ExportProgress, 'total'> {
  readonly problems: number;
  /** Whether what was asked for is there: a table with wrong cells is not. */
  readonly isWritten: boolean;
  /** What of the nodes a table has no place for, and what comes with no node, in words, with how often. */
  readonly losses: ReadonlyMap<string, number>;
}

/** Counts what an export does, and tells it. */
export class ExportTally {
  nodes = 0;
  files = 0;
  bytes = 0;
  problems = 0;
  isSpoilt = false;
  readonly losses = new Map<string, number>();
  readonly #watch: ExportWatch;
  readonly #total: number;

  constructor(watch: ExportWatch, total: number) {
    this.#watch = watch;
    this.#total = total;
  }

  addNode(): void {
    this.nodes += 1;
    this.#tell();
  }

  addFile(bytes: number): void {
    this.files += 1;
    this.bytes += bytes;
    this.#tell();
  }

  /** `spoils`: what there is of the export would be taken for something else. */
  addProblem(nodeId: number, message: string, spoils = false): void {
    this.problems += 1;
    if (spoils) this.isSpoilt = true;
    this.#watch.onProblem({ nodeId, message });
  }

  addLoss(what: string, count = 1): void {
    this.losses.set(what, (this.losses.get(what) ?? 0) + count);
  }

  summary(isWritten: boolean): ExportSummary {
    const { nodes, files, bytes, problems, losses } = this;
    return { nodes, files, bytes, problems, losses, isWritten };
  }

  #tell(): void {
    const { nodes, files, bytes } = this;
    this.#watch.onProgress({ nodes, total: this.#total, files, bytes });
  }
}
