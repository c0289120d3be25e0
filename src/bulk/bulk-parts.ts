import type { JobServices } from '../jobs/job-planner.ts';
import type { Actor, ActorFacts } from '../repository/actor.ts';
import type { ContentKinds } from '../repository/content/kinds.ts';
import type { FindContent } from '../repository/content/read/find-content.ts';
import type { FindAccount } from '../repository/users/find-account.ts';

/** The parts of the repository that bulk runs work with. */
export interface BulkParts {
  readonly services: JobServices;
  readonly kinds: ContentKinds;
  readonly findContent: FindContent;
  readonly findAccount: FindAccount;
  readonly makeActor: (facts: ActorFacts) => Actor;
}
