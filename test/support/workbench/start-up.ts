import { readMember } from './members.ts';
import type { Block } from './sequence.ts';
import type { Workbench, WorkbenchAnswer } from './workbench.ts';

const VERSION = '/islandora_workbench_integration/version';
const CORE_VERSION = '/islandora_workbench_integration/core_version';
const MIN_VERSION = [1, 0];
const MIN_VERSION_OF_PERMISSIONS = [1, 2];

/** Block S: what every invocation begins with. Aliases of the table's `node_id` column are asked for in between. */
export function startUp(...aliases: string[]): Block {
  return async (workbench, facts) => {
    mayGoOn(await workbench.send('GET', VERSION));
    // Its cache is set up only after the first request.
    workbench.forget();
    const answer = await workbench.send('GET', VERSION);
    if (answer.status !== 200) throw new Error(`cannot determine the integration module's version: ${answer.status}`);
    const found = numbersOf(readMember(answer.json(), 'integration_module_version', 'text') as string);
    const wanted = workbench.options.useWorkbenchPermissions ? MIN_VERSION_OF_PERMISSIONS : MIN_VERSION;
    if (isBelow(found, wanted))
      throw new Error(`must be upgraded to version ${wanted.join('.')}, is ${found.join('.')}`);
    for (const alias of aliases) {
      const node = await workbench.send('GET', `${alias}?_format=json`);
      if (node.status !== 200) throw new Error(`${alias} is no node: ${node.status} ${node.text}`);
      facts[`nid of ${alias}`] = readMember(node.json(), 'nid[0].value', 'integer');
    }
    const core = await workbench.send('GET', CORE_VERSION);
    if (core.status !== 200) throw new Error(`cannot determine Drupal's version number: ${core.status} ${core.text}`);
    if (isBelow(numbersOf(readMember(core.json(), 'core_version', 'text') as string), [8, 6]))
      throw new Error('warns that creating media is less reliable than in Drupal 8.6 or higher');
  };
}

/** The first request of many blocks: whether the user may come in. */
export async function pingSite(workbench: Workbench): Promise<void> {
  mayGoOn(await workbench.send('GET', VERSION));
}

function mayGoOn({ status, text }: WorkbenchAnswer): void {
  if (status === 401 || status === 403) throw new Error(`it stops: ${status} ${text}`);
}

/** `int()` of the first two parts of a version. */
function numbersOf(version: string): number[] {
  const parts = version.split('.').slice(0, 2);
  if (!parts.every((part) => /^\d+$/.test(part))) throw new Error(`ValueError: no version: ${version}`);
  return parts.map(Number);
}

function isBelow([major = 0, minor = 0]: number[], [wantedMajor = 0, wantedMinor = 0]: number[]): boolean {
  return major < wantedMajor || (major === wantedMajor && minor < wantedMinor);
}
