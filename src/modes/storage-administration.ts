import { GRACE_MS } from '../repository/files/discarded.ts';
import type { Services } from '../repository/services.ts';
import {
  type Amount,
  type FoundGarbage,
  findDoubt,
  findGarbage,
  type Garbage,
  type GcOptions,
  removeGarbage,
  type StoreGarbage,
} from '../repository/storage/gc.ts';
import { type VerifyOptions, type VerifyProgress, verify } from '../repository/storage/verify.ts';
import { changePlan, type VerifyPlan } from '../repository/storage/verify-plan.ts';
import {
  type FixityProblem,
  type FixityReport,
  listProblems,
  type OpenRun,
  reportFixity,
} from '../repository/storage/verify-report.ts';
import { problemsOf, type VerifyRun } from '../repository/storage/verify-run.ts';
import type { Sample, VerifyScope } from '../repository/storage/verify-scope.ts';
import { CommandError } from './command-error.ts';

export type {
  Amount,
  FixityProblem,
  FixityReport,
  FoundGarbage,
  Garbage,
  GcOptions,
  OpenRun,
  Sample,
  StoreGarbage,
  VerifyOptions,
  VerifyPlan,
  VerifyProgress,
  VerifyRun,
  VerifyScope,
};

/** What stored bytes are looked after with, from a machine that has the stores. The members throw ServiceError. */
export interface StorageAdministration {
  /** Reads files again; the run that is answered has no end if it was broken off. */
  verify(options: VerifyOptions): Promise<VerifyRun>;
  /** The files that a check has found not to be intact, or all that are known of. */
  problems(runId?: number): AsyncIterable<FixityProblem>;
  problemCount(run: VerifyRun): number;
  report(): Promise<FixityReport>;
  /** What running servers check by themselves from now on; undefined: nothing. Throws CommandError for a storage that there is not. */
  schedule(plan: VerifyPlan | undefined): Promise<void>;
  /** `doubt`: why to remove that would be refused. */
  findGarbage(options: GcOptions): Promise<{ readonly garbage: Garbage; readonly doubt: string | undefined }>;
  /** Resolves when the bytes are gone, too. */
  removeGarbage(options: GcOptions, isSure: boolean): Promise<Garbage>;
}

/** To be called with services that have the stores open. */
export function createStorageAdministration(services: Services): StorageAdministration {
  const { database, schemes } = services;
  return {
    verify: (options) => verify(services, options),
    problems: (runId) => listProblems(database, runId),
    problemCount: problemsOf,
    report: () => reportFixity(database),
    async schedule(plan) {
      if (plan?.store !== undefined && !schemes.has(plan.store))
        throw new CommandError(`There is no storage named ${plan.store}, but ${[...schemes.keys()].join(', ')}.`);
      await changePlan(database, plan);
    },
    async findGarbage(options) {
      const garbage = await findGarbage(services, options);
      return { garbage, doubt: await findDoubt(services, garbage) };
    },
    async removeGarbage(options, isSure) {
      try {
        return await removeGarbage(services, options, isSure);
      } finally {
        // Servers may be about to open what they have just found in a row.
        await Bun.sleep(GRACE_MS);
        await services.discards.stop();
      }
    },
  };
}
