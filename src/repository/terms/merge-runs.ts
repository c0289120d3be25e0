import { runsOf } from '../../runs/runs.ts';

/** The terms of a run that moves references. */
interface MergeAbout {
  readonly from: number;
  readonly into: number;
  /** The names of both terms at its start. */
  readonly label: string;
  readonly intoLabel: string;
  /** True if the first term stays. */
  readonly keeps: boolean;
}

/** Runs that move the references to a term to another one. The progress is the number of changed entities. */
export const mergeRuns = runsOf<MergeAbout, number>('merge', 'merge of terms');
