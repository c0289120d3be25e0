import type { ActorFacts } from '../repository/actor.ts';
import { createActorFactory } from '../repository/actor.ts';
import { type ScanOptions, type ScanProgress, scan } from '../repository/derivatives/scan.ts';
import type { Services } from '../repository/services.ts';
import { ADMINISTRATOR_ID, ADMINISTRATOR_NAME } from '../repository/setup/first-users.ts';
import type { FindUser } from '../repository/users/find-user.ts';
import { known } from '../repository/users/manage-users.ts';
import { CommandError } from './command-error.ts';

export type { ScanOptions, ScanProgress };

/** The search for derivatives that are missing, from the machine that the repository is on. */
export interface ScanAdministration {
  /**
   * Answers how far it is after every batch; whoever stops asking has broken it off. Throws CommandError where nobody
   * could make what it finds, and ServiceError for an action or a node that there is not.
   */
  scan(options: ScanOptions): AsyncGenerator<ScanProgress>;
}

/** Scans on behalf of the administrator. A server that runs notices what is queued. */
export function createScanAdministration(services: Services, findUser: FindUser): ScanAdministration {
  const makeActor = createActorFactory(services.model);
  return {
    async *scan(options) {
      const { row, roles } = known(await findUser.byId(ADMINISTRATOR_ID), ADMINISTRATOR_NAME);
      if (!row.status && !options.dryRun)
        throw new CommandError(
          `What is missing would be made for ${row.name}, who is blocked. Let them in first: repo user unblock ${row.name}`,
        );
      const facts: ActorFacts = { id: row.id, uuid: row.uuid, name: row.name, roles };
      yield* scan(services, makeActor(facts), options);
    },
  };
}
