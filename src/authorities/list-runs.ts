import { runsOf } from '../runs/runs.ts';

/** The facts of a list that a run stores. */
interface LoadedList {
  /** The name of the list. */
  readonly name: string;
  /** The path of the file. */
  readonly file: string;
  /** The size of the file. */
  readonly bytes: number;
}

/** The progress of the loading of a list. */
export interface ListProgress {
  /** The bytes of the file that were read. */
  readonly bytes: number;
  readonly records: number;
}

/** The runs that load authority lists. The result is the problem that stopped one. */
export const listRuns = runsOf<LoadedList, ListProgress, string>('authority', 'authority list');
