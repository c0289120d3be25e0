import { etagOf } from '../http/etag.ts';
import { paths } from '../paths.ts';
import { permissionAccess } from '../repository/access.ts';
import { changeSettings } from '../repository/settings/change-settings.ts';
import { parseSettings } from '../representation/parse-settings.ts';
import { settingsJson } from '../representation/settings-json.ts';
import type { Call } from './call.ts';
import { changeSettings as described, readSettings } from './openapi/describe-operation.ts';
import { plainRepresentation, requireCurrent } from './respond.ts';
import type { Route } from './routes.ts';

/** What an administrator changes while the repository runs (spec: repository, "Link headers on GET and HEAD"). */
export const settingRoutes: readonly Route[] = [
  { method: 'GET', path: paths.coreSettings, description: readSettings, answer: show },
  {
    method: 'PATCH',
    path: paths.coreSettings,
    accepts: ['application/json'],
    description: described,
    answer: change,
  },
];

/** Room for every setting many times over, and too little to keep others waiting. */
const MAX_SETTINGS_BYTES = 64 * 1024;

function allow(call: Call): void {
  call.allow(permissionAccess(call.actor, 'administer site configuration'));
}

async function show(call: Call): Promise<Response> {
  allow(call);
  return shown(call);
}

async function change(call: Call): Promise<Response> {
  allow(call);
  const { database, fields } = call.api.services;
  const changes = parseSettings(await call.json(MAX_SETTINGS_BYTES), fields);
  await changeSettings(database, changes, (current) =>
    requireCurrent(call, () => etagOf(settingsJson(current)), undefined),
  );
  return shown(call);
}

async function shown(call: Call): Promise<Response> {
  return plainRepresentation(call, settingsJson((await call.api.findSettings()).value), undefined);
}
