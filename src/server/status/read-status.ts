import type { StatusGroup, StatusReport } from '../../web/status-report.ts';
import { contentGroup } from './content-group.ts';
import { databaseGroup } from './database-group.ts';
import { programGroup } from './program-group.ts';
import { queueGroup } from './queue-group.ts';
import { fix } from './status-line.ts';
import type { StatusParts } from './status-parts.ts';
import { storageGroup } from './storage-group.ts';
import { createStoredAmounts } from './stored-amounts.ts';
import { ToolVersions } from './tool-versions.ts';
import { toolsGroup } from './tools-group.ts';
import { upkeepGroup } from './upkeep-group.ts';

/** Creates the function that reads the state of a running repository. A part that cannot be read hides no other part. */
export function createReadStatus(parts: StatusParts): () => Promise<StatusReport> {
  const { services } = parts;
  const amounts = createStoredAmounts(services);
  const versions = new ToolVersions();
  const read = async (title: string, work: () => Promise<StatusGroup>): Promise<StatusGroup> => {
    try {
      return await work();
    } catch (error) {
      services.warn(`the status of "${title}" cannot be read`, error);
      return { title, lines: [fix('State', 'cannot be read', 'The log of the server has the reason.')] };
    }
  };
  return async () => {
    const groups = await Promise.all([
      read('Upkeep', () => upkeepGroup(parts)),
      read('Storage', () => storageGroup(parts, amounts)),
      read('Derivatives', () => queueGroup(parts)),
      read('Database', () => databaseGroup(parts)),
      read('Content', () => contentGroup(parts)),
      read('Program', () => programGroup(parts)),
    ]);
    const tools = toolsGroup(parts, versions);
    return { at: services.now(), groups: tools === undefined ? groups : [...groups, tools] };
  };
}
