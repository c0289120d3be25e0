import { dateItem } from '../field-types/moment.tsx';
import type { ContentModel, FieldValues } from '../model/content-model.ts';
import type { Actor } from '../repository/actor.ts';
import type { User } from '../repository/users/find-user.ts';
import { withFileAddresses } from './file-json.ts';

/** Returns a user as JSON with the members that the caller may view (spec: rest-behaviour, 3.3), never the password. */
export function userJson(user: User, actor: Actor, model: ContentModel, baseUrl: string): string {
  const { row } = user;
  const isAdministrator = actor.may('administer users');
  const isSelf = isAdministrator || (actor.isAuthenticated && actor.id === row.id);
  const time = (seconds: number) => [dateItem(seconds)];
  const text = (value: string | null) => (value === null ? [] : [{ value }]);
  const members: [name: string, isSeen: boolean, items: unknown][] = [
    ['uid', true, [{ value: row.id }]],
    ['uuid', true, text(row.uuid)],
    ['langcode', true, text(row.langcode)],
    ['preferred_langcode', isSelf, text(row.preferredLangcode)],
    ['preferred_admin_langcode', isSelf, text(row.preferredAdminLangcode)],
    ['name', true, text(row.name)],
    ['mail', isSelf, text(row.mail)],
    ['timezone', isSelf, text(row.timezone)],
    ['status', isAdministrator, [{ value: row.status }]],
    ['created', true, time(row.created)],
    ['changed', true, time(row.changed)],
    ['access', isAdministrator, time(row.access)],
    ['login', isAdministrator, time(row.login)],
    ['init', isAdministrator, text(row.init)],
    ['roles', isAdministrator, roleItems(user.roles, model)],
    ['default_langcode', true, [{ value: true }]],
    ['path', true, [{ alias: null, pid: null, langcode: row.langcode }]],
  ];
  const stored = JSON.parse(row.fields) as FieldValues;
  for (const { name } of model.userBundle.fields)
    members.push([name, true, withFileAddresses(stored[name] ?? [], baseUrl)]);
  return JSON.stringify(
    Object.fromEntries(members.filter(([, isSeen]) => isSeen).map(([name, , items]) => [name, items])),
  );
}

function roleItems(roles: readonly string[], model: ContentModel) {
  return roles.map((name) => ({
    target_id: name,
    target_type: 'user_role',
    target_uuid: model.roles.get(name)?.uuid ?? '',
  }));
}
