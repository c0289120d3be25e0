import type { RepositoryConfig } from '../../config/server-config.ts';
import type { JobServices } from '../../jobs/job-planner.ts';
import type { ListPrograms } from './tool-versions.ts';

/** The parts of a running repository that its status is read from. */
export interface StatusParts {
  readonly services: JobServices;
  readonly config: RepositoryConfig;
  /** The number of processes that share the port. */
  readonly workers: number;
  /** Returns the programs of the processor in this process. Undefined without one. */
  readonly programs: ListPrograms | undefined;
}
