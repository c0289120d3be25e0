import type { BaseServices } from '../base-services.ts';
import { nameOfDeleted } from './account-problems.ts';
import { writeChange } from './change-account.ts';
import type { User } from './find-user.ts';
import { forgetFailures } from './flood-store.ts';

/**
 * Deletes an account in one batch: erases everything about the person, and ends sessions, tokens and reset links. An empty
 * record with its number remains, to which content and revisions refer (decisions: 068). Throws as `changeAccount` does.
 */
export async function deleteAccount(services: BaseServices, user: User): Promise<void> {
  const { database, model, now } = services;
  const { id, name } = user.row;
  const erased = {
    name: nameOfDeleted(id),
    mail: null,
    init: null,
    passwordHash: null,
    status: false,
    roles: '[]',
    preferredLangcode: model.defaultLanguage,
    preferredAdminLangcode: null,
    timezone: 'UTC',
    access: 0,
    login: 0,
    isDangling: false,
    fields: '{}',
    deletedAt: now(),
  };
  await writeChange(services, user, erased, [await forgetFailures(database, name)]);
}
